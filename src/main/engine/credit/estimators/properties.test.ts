/** What must hold of every estimate, on rollouts drawn at random. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Trajectory, Turn } from '../../../../shared/trajectory.ts'
import { leaveOneOut, meanCentred } from './baselines.ts'
import { spearman } from './compare.ts'
import { estimate } from './estimate.ts'
import { splitByTurn } from './placement.ts'
import { potentialDifference } from './potential-shaping.ts'
import { methodNamed, methods } from './registry.ts'
import type { GivenSettings } from './settings.ts'

const number = fc.integer({ min: -200, max: 200 }).map((n) => n / 100)
const share = fc.integer({ min: 0, max: 100 }).map((n) => n / 100)
const key = fc.constantFrom('s', 't', 'u')
const lists = (length: number, of: fc.Arbitrary<number>) => fc.array(of, { minLength: length, maxLength: length })

const observation = fc
  .record({ tokens: fc.integer({ min: 0, max: 3 }), token: fc.integer({ min: 0, max: 2 }) })
  .map(({ tokens, token }): Turn => ({ role: 'tool', text: `seen ${token}`, token_ids: Array(tokens).fill(token) }))

const action = fc.integer({ min: 1, max: 3 }).chain((tokens) =>
  fc
    .record({
      token_ids: lists(tokens, fc.integer({ min: 0, max: 2 })),
      logprobs: lists(tokens, number),
      teacher_logprobs: lists(tokens, number),
      values: lists(tokens, number),
      retention: lists(tokens, share),
      prefix_scores: lists(tokens, number),
      token_influences: lists(tokens, number),
      state_key: key,
      option: fc.integer({ min: 0, max: 1 }),
      step: fc.option(number, { nil: undefined }),
    })
    .map(({ step, ...own }): Turn => ({ role: 'assistant', ...own, ...(step !== undefined && { reward: step }) })),
)

const rollout = fc
  .record({
    turns: fc.array(fc.tuple(action, observation), { minLength: 1, maxLength: 4 }),
    reward: number,
    cut: fc.boolean(),
    bootstrap_value: number,
    base_score: number,
    greedy_reward: number,
  })
  .map(
    ({ turns, cut, ...more }): Omit<Trajectory, 'id' | 'group'> => ({
      ...more,
      terminated: !cut,
      truncated: cut,
      ...(cut && { final_state_key: 'never left' }),
      turns: [
        { role: 'user', text: 'question', token_ids: [7] },
        ...turns.flat().map((turn, k) => (turn.role === 'assistant' ? { ...turn, segment: Math.floor(k / 4) } : turn)),
      ],
    }),
  )

const named = (rows: readonly Omit<Trajectory, 'id' | 'group'>[], group: string): Trajectory[] =>
  rows.map((row, i) => ({ ...row, id: `${group}${i}`, group }))
const group = fc.array(rollout, { minLength: 1, maxLength: 5 }).map((rows) => named(rows, 'g'))
const settings = fc.record({ gamma: share, lambda: share })

const byId = (name: string, rows: readonly Trajectory[], given: GivenSettings = {}) =>
  new Map(
    estimate(methodNamed(name, '--method'), rows, given, 'file').rollouts.map(({ trajectory, credit }) => [
      trajectory.id,
      credit,
    ]),
  )
const advantagesById = (name: string, rows: readonly Trajectory[], given: GivenSettings = {}) =>
  new Map([...byId(name, rows, given)].map(([id, { advantages }]) => [id, advantages]))
const close = (list: readonly number[], digits = 9) => list.map((value) => expect.closeTo(value, digits) as number)
function same(one: ReadonlyMap<string, readonly number[]>, other: ReadonlyMap<string, readonly number[]>) {
  for (const [id, list] of one) expect(other.get(id), id).toEqual(close(list))
}
const check = (property: fc.IProperty<[Trajectory[], { gamma: number; lambda: number }]>) =>
  fc.assert(property, { numRuns: 60 })
const checkGroups = (property: fc.IProperty<[Trajectory[]]>) => fc.assert(property, { numRuns: 60 })

describe.each(methods.map(({ name }) => name))('%s', (name) => {
  test('gives one finite number an action token, in any order of rows and beside any other group', () => {
    check(
      fc.property(group, settings, (rows, given) => {
        const alone = byId(name, rows, given)
        for (const row of rows) {
          const tokens = row.turns.reduce(
            (sum, turn) => sum + (turn.role === 'assistant' ? (turn.token_ids?.length ?? 0) : 0),
            0,
          )
          const { advantages, returns, perToken = {} } = alone.get(row.id)!
          for (const list of [advantages, returns, ...Object.values(perToken)]) {
            expect(list).toHaveLength(tokens)
            expect(list.every(Number.isFinite)).toBe(true)
          }
        }
        const others = named(rows, 'h').map((row) => ({ ...row, reward: -(row.reward ?? 0) }))
        const mixed = rows.toReversed().flatMap((row, i) => [others[i]!, row])
        same(advantagesById(name, rows, given), advantagesById(name, mixed, given))
      }),
    )
  })

  test('turns without tokens and words of observations change nothing', () => {
    check(
      fc.property(group, settings, (rows, given) => {
        const padded = rows.map((row) => ({
          ...row,
          turns: row.turns.flatMap((turn): Turn[] => [
            { role: 'assistant', token_ids: [] },
            turn.role === 'assistant' ? turn : { ...turn, text: 'other words' },
            { role: 'tool', token_ids: [] },
          ]),
        }))
        same(advantagesById(name, rows, given), advantagesById(name, padded, given))
      }),
    )
  })

  test('an abstention changes nobody else, and is no 0', () => {
    let moved = 0
    check(
      fc.property(group, settings, (rows, given) => {
        const extra: Trajectory = { ...rows[0]!, id: 'extra', reward: null }
        const without = advantagesById(name, rows, given)
        same(without, advantagesById(name, [...rows, extra], given))
        expect(advantagesById(name, [...rows, extra], given).get('extra')).toEqual([])
        const asZero = advantagesById(name, [...rows, { ...extra, reward: 0 }], given)
        if ([...without].some(([id, list]) => list.some((value, t) => value !== asZero.get(id)![t]))) moved += 1
      }),
    )
    const grouped = ['gigpo', 'gaca', 'gated-bepo', 'opd-rbm', 'mbpo'].includes(name)
    expect(moved > 0).toBe(grouped)
  })
})

const ignoresObservations = methods.map(({ name }) => name).filter((name) => !['td', 'gae', 'mbpo'].includes(name))
test.each(ignoresObservations)('%s does not depend on how long observations are', (name) => {
  check(
    fc.property(group, settings, (rows, given) => {
      const longer = rows.map((row) => ({
        ...row,
        turns: row.turns.map((turn) =>
          turn.role === 'tool' ? { ...turn, token_ids: Array(9).fill(5), values: Array(9).fill(3) } : turn,
        ),
      }))
      same(advantagesById(name, rows, given), advantagesById(name, longer, given))
    }),
  )
})

describe('limits that are other methods', () => {
  test('a constant gate is GAE', () => {
    check(
      fc.property(group, settings, (rows, { gamma, lambda }) => {
        const gated = rows.map((row) => ({
          ...row,
          turns: row.turns.map((turn) =>
            turn.role === 'assistant' ? { ...turn, retention: turn.token_ids!.map(() => gamma) } : turn,
          ),
        }))
        same(advantagesById('gae', rows, { gamma, lambda }), advantagesById('comp-gae', gated, { lambda }))
      }),
    )
  })

  test('λ 0 is TD, λ 1 of a terminated rollout is Monte-Carlo less the value', () => {
    check(
      fc.property(group, settings, (rows, { gamma }) => {
        same(advantagesById('td', rows, { gamma }), advantagesById('gae', rows, { gamma, lambda: 0 }))
        const ended = rows.map((row) => ({ ...row, terminated: true, truncated: false }))
        const returns = advantagesById('reward-to-go', ended, { gamma })
        for (const [id, list] of advantagesById('gae', ended, { gamma, lambda: 1 })) {
          const values = ended
            .find((row) => row.id === id)!
            .turns.flatMap(({ role, values }) => (role === 'assistant' ? values! : []))
          expect(list).toEqual(close(returns.get(id)!.map((value, t) => value - values[t]!)))
        }
      }),
    )
  })

  test('one segment is GAE along the actions; discount 1 leaves local advantages alone', () => {
    check(
      fc.property(group, settings, (rows, given) => {
        const whole = rows.map((row) => ({ ...row, turns: row.turns.map((turn) => ({ ...turn, segment: 3 })) }))
        same(advantagesById('gae-skip-observation', rows, given), advantagesById('compaction', whole, given))
      }),
    )
  })

  test('γ 0 is token-level distillation, α 0 the outcome alone', () => {
    check(
      fc.property(group, settings, (rows, given) => {
        for (const credit of byId('opd', rows, { gamma: 0 }).values()) {
          expect(credit.advantages).toEqual(close(credit.perToken!.token_reward!))
        }
        const mix = { ...given, alpha: 0, baseline: 'rloo' } as const
        same(advantagesById('monte-carlo', rows, { baseline: 'rloo' }), advantagesById('opd-rbm', rows, mix))
      }),
    )
  })

  test('κ 0 is a fixed mix of the parts of GiGPO', () => {
    check(
      fc.property(group, settings, (rows, { gamma, lambda: omega0 }) => {
        const parts = byId('gigpo', rows, { gamma })
        for (const [id, list] of advantagesById('gaca', rows, { gamma, omega0, kappa: 0 })) {
          const { episode_advantage: episode, step_advantage: step } = parts.get(id)!.perToken!
          expect(list).toEqual(close(step!.map((value, t) => (1 - omega0) * episode![t]! + omega0 * value)))
        }
      }),
    )
  })

  test('a state graph without branches leaves GRPO', () => {
    check(
      fc.property(group, settings, (rows, given) => {
        const apart = rows.map((row) => ({
          ...row,
          turns: row.turns.map((turn, k) => ({ ...turn, state_key: `${row.id} ${k}` })),
        }))
        same(advantagesById('monte-carlo', apart, { baseline: 'grpo' }), advantagesById('gated-bepo', apart, given))
      }),
    )
  })
})

describe('sums', () => {
  test('FACTOR telescopes over actions; each action’s tokens keep its mean and its sign', () => {
    checkGroups(
      fc.property(group, (rows) => {
        for (const row of rows) {
          const { advantages, perToken, facts } = byId('factor', [row]).get(row.id)!
          const perTurn = splitByTurn(row, advantages)
          const credits = splitByTurn(row, perToken!.action_credit!).map(([credit]) => credit!)
          perTurn.forEach((own, k) => {
            expect(own.reduce((sum, value) => sum + value, 0) / own.length).toBeCloseTo(credits[k]!, 9)
            for (const value of own) expect(value * credits[k]!).toBeGreaterThanOrEqual(0)
          })
          const recorded = row.turns.some(({ reward }) => reward !== undefined)
          const earned = row.turns.reduce((sum, { reward = 0 }) => sum + reward, recorded ? 0 : row.reward!)
          const first = row.turns.find(({ role }) => role === 'assistant')!.values![0]!
          const after = row.terminated ? 0 : row.bootstrap_value!
          expect(facts!.trajectory_advantage).toBeCloseTo(earned + after - first, 9)
        }
      }),
    )
  })

  test('RED telescopes to the score of the whole less that of nothing', () => {
    checkGroups(
      fc.property(group, (rows) => {
        for (const [id, list] of advantagesById('red', rows)) {
          const row = rows.find((one) => one.id === id)!
          const last = row.turns.findLast(({ role }) => role === 'assistant')!.prefix_scores!.at(-1)!
          expect(list.reduce((sum, value) => sum + value, 0)).toBeCloseTo(last - row.base_score!, 9)
        }
      }),
    )
  })

  test('RLOO is G/(G − 1) times the mean-centred outcome', () => {
    fc.assert(
      fc.property(fc.array(number, { minLength: 2, maxLength: 9 }), (rewards) => {
        const factor = rewards.length / (rewards.length - 1)
        expect(leaveOneOut(rewards)).toEqual(close(meanCentred(rewards).map((value) => factor * value)))
      }),
    )
  })

  test('branches from one place cancel', () => {
    checkGroups(
      fc.property(group, (rows) => {
        const opened = new Map<string, number>()
        for (const [id, list] of advantagesById('mbpo', rows)) {
          const turn = rows.find((row) => row.id === id)!.turns.find(({ role }) => role === 'assistant')!
          opened.set(JSON.stringify(turn.token_ids), list[0]!)
        }
        expect([...opened.values()].reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 9)
      }),
    )
  })
})

describe('potential shaping', () => {
  test('leaves the advantages of a critic that knows the potential, and moves the return by −Φ of the start', () => {
    check(
      fc.property(group, settings, (rows, given) => {
        for (const row of rows.filter(({ terminated }) => terminated)) {
          const values = row.turns.flatMap((turn) => (turn.role === 'assistant' ? turn.values! : []))
          const potentials = values.map((value, t) => Math.sin(3 * value + t))
          const flat = (rewards: number[], own: number[]): Trajectory => ({
            ...row,
            turns: [row.turns[0]!, { role: 'assistant', token_ids: values.map(() => 0), rewards, values: own }],
          })
          const rewards = values.map((_, t) => Math.cos(t))
          const shaped = rewards.map(
            (reward, t) => reward + potentialDifference(potentials[t]!, potentials[t + 1] ?? 0, given.gamma),
          )
          const plain = flat(rewards, values)
          const moved = flat(
            shaped,
            values.map((value, t) => value - potentials[t]!),
          )
          same(advantagesById('gae', [plain], given), advantagesById('gae', [moved], given))
          const start = (one: Trajectory) => advantagesById('reward-to-go', [one], given).get(row.id)![0]!
          expect(start(moved)).toBeCloseTo(start(plain) - potentials[0]!, 9)
        }
      }),
    )
  })

  test('leaves the best action of every state of a random decision process', () => {
    const process = fc.record({
      next: fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 })), {
        minLength: 4,
        maxLength: 4,
      }),
      reward: fc.array(fc.tuple(number, number), { minLength: 4, maxLength: 4 }),
      potential: fc.array(number, { minLength: 4, maxLength: 4 }),
    })
    /** State 4 is the end. */
    const optimal = (next: [number, number][], reward: readonly (readonly number[])[], gamma: number) => {
      let values = [0, 0, 0, 0, 0]
      let q: number[][] = []
      for (let sweep = 0; sweep < 400; sweep++) {
        q = next.map((row, s) => row.map((to, a) => reward[s]![a]! + gamma * values[to]!))
        values = [...q.map((row) => Math.max(...row)), 0]
      }
      return q
    }
    fc.assert(
      fc.property(process, ({ next, reward, potential }) => {
        const gamma = 0.9
        const of = (s: number) => potential[s] ?? 0
        const shaped = reward.map((row, s) =>
          row.map((r, a) => r + potentialDifference(of(s), of(next[s]![a]!), gamma)),
        )
        const plain = optimal(next, reward, gamma)
        const moved = optimal(next, shaped, gamma)
        plain.forEach((row, s) => {
          expect(moved[s]).toEqual(
            close(
              row.map((value) => value - of(s)),
              6,
            ),
          )
        })
      }),
      { numRuns: 50 },
    )
  })
})

describe('comparison', () => {
  test('Spearman by definition: 1 − 6Σd²/(n(n² − 1)) without ties; Pearson of mean ranks with them', () => {
    expect(spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])).toBeCloseTo(1 - (6 * 4) / (5 * 24), 12)
    // Ranks 1.5, 1.5, 3, 4 and 1, 2, 3.5, 3.5.
    const d = [1.5, 1.5, 3, 4].map((rank, i) => [rank - 2.5, [1, 2, 3.5, 3.5][i]! - 2.5] as const)
    const product = (i: 0 | 1, j: 0 | 1) => d.reduce((sum, pair) => sum + pair[i] * pair[j], 0)
    const expected = product(0, 1) / Math.sqrt(product(0, 0) * product(1, 1))
    expect(spearman([7, 7, 8, 9], [0, 1, 5, 5])).toBeCloseTo(expected, 12)
    expect(spearman([1, 1], [2, 3])).toBeNull()
    expect(spearman([], [])).toBeNull()
  })

  test('is 1 for any increasing map and −1 for any decreasing one', () => {
    fc.assert(
      fc.property(fc.uniqueArray(number, { minLength: 2, maxLength: 30 }), (list) => {
        expect(spearman(list, list.map(Math.exp))).toBeCloseTo(1, 12)
        expect(
          spearman(
            list,
            list.map((value) => -(value ** 3)),
          ),
        ).toBeCloseTo(-1, 12)
      }),
    )
  })
})
