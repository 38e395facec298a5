/** Limits in which one method is another, sums that close, and shaping that moves nothing. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { leaveOneOut, meanCentred } from './baselines.ts'
import { splitByTurn } from './placement.ts'
import { potentialDifference } from './potential-shaping.ts'
import {
  advantagesById,
  byId,
  check,
  checkGroups,
  close,
  group,
  number,
  same,
  settings,
} from './trajectory-arbitraries.ts'

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
