/** From a trajectory to a method's numbers: where rewards stand, what ends a rollout, who counts, and what is missing. */
import { describe, expect, test } from 'vitest'
import { BadInput } from '../../../../shared/bad-input.ts'
import type { Trajectory, Turn } from '../../../../shared/trajectory.ts'
import { estimate } from './estimate.ts'
import { golden } from './golden-cases.ts'
import { methodNames } from './method-names.ts'
import { methodNamed, methods } from './registry.ts'
import type { GivenSettings } from './settings.ts'

const near = (list: readonly number[]) => list.map((value) => expect.closeTo(value, 10) as number)

const user: Turn = { role: 'user', token_ids: [1, 2] }
const said = (tokens: number, more: Partial<Turn> = {}): Turn => ({
  role: 'assistant',
  token_ids: Array.from({ length: tokens }, (_, t) => t),
  ...more,
})
const seen = (tokens: number, more: Partial<Turn> = {}): Turn => ({ ...said(tokens, more), role: 'tool' })
function rollout(id: string, turns: readonly Turn[], more: Partial<Trajectory> = {}): Trajectory {
  return { id, group: 'g', reward: 0, terminated: true, truncated: false, turns: [user, ...turns], ...more }
}
const run = (name: string, rows: readonly Trajectory[], given: GivenSettings = {}) =>
  estimate(methodNamed(name, '--method'), rows, given, 'file.jsonl')
const advantages = (name: string, rows: readonly Trajectory[], given: GivenSettings = {}) =>
  run(name, rows, given).rollouts.map(({ credit }) => credit.advantages)
const only = (name: string, row: Trajectory, given: GivenSettings = {}) => advantages(name, [row], given)[0]!

/** Turns from a row of token lists and the mask of its actions. */
function turnsOf(mask: readonly number[], lists: Readonly<Record<'rewards' | 'values', readonly number[]>>): Turn[] {
  const turns: Turn[] = []
  for (let from = 0; from < mask.length; ) {
    let to = from
    while (to < mask.length && mask[to] === mask[from]) to++
    const own = { rewards: lists.rewards.slice(from, to), values: lists.values.slice(from, to) }
    turns.push(mask[from] === 1 ? said(to - from, own) : seen(to - from, own))
    from = to
  }
  return turns
}

describe('golden numbers through trajectories', () => {
  test.each(golden.skip_observation_gae)('gae-skip-observation: $name', (one) => {
    const cut = one.bootstrap_value !== 0
    const row = rollout('r', turnsOf(one.action_mask, one), {
      ...(cut && { terminated: false, truncated: true, bootstrap_value: one.bootstrap_value }),
    })
    const expected = one.advantages.filter((_, t) => one.action_mask[t] === 1)
    expect(only('gae-skip-observation', row, { gamma: one.gamma, lambda: one.lambda })).toEqual(near(expected))
  })

  test.each(golden.turn_gae)('gae-turn: $name', (one) => {
    const last = Math.max(...one.turn_of_token)
    const turns = Array.from({ length: last + 1 }, (_, k): Turn[] => {
      const mine = (t: number) => one.turn_of_token[t] === k
      const tokens = one.action_mask.filter((action, t) => mine(t) && action === 1).length
      const observed = one.action_mask.filter((action, t) => mine(t) && action === 0).length
      const values = Array<number>(tokens).fill(9).with(0, one.turn_values[k]!)
      return [said(tokens, { values, reward: one.turn_rewards[k]! }), ...(observed > 0 ? [seen(observed)] : [])]
    }).flat()
    const expected = one.token_advantages.filter((_, t) => one.action_mask[t] === 1)
    expect(only('gae-turn', rollout('r', turns), { gamma: one.gamma, lambda: one.lambda })).toEqual(near(expected))
  })

  test('td and gae: three steps, terminal and cut', () => {
    for (const one of golden.td_gae.slice(0, 2)) {
      const cut = one.truncated.at(-1) === 1
      const row = rollout('r', [said(3, { rewards: one.rewards, values: one.values })], {
        ...(cut && { terminated: false, truncated: true, bootstrap_value: one.next_values.at(-1)! }),
      })
      expect(only('gae', row, { gamma: one.gamma, lambda: one.lambda })).toEqual(near(one.advantages))
      expect(only('td', row, { gamma: one.gamma })).toEqual(near(one.deltas))
      expect(run('gae', [row], { gamma: one.gamma, lambda: one.lambda }).rollouts[0]!.credit.returns).toEqual(
        near(one.returns),
      )
    }
  })

  test.each(golden.comp_gae)('comp-gae: $name', (one) => {
    const row = rollout(
      'r',
      [said(one.rewards.length, { rewards: one.rewards, values: one.values, retention: one.gate })],
      {
        ...(!one.terminal_last && { terminated: false, truncated: true, bootstrap_value: one.bootstrap_value }),
      },
    )
    expect(only('comp-gae', row, { lambda: one.lambda })).toEqual(near(one.advantages))
  })

  test('compaction: segments with observations and a reward in each', () => {
    const one = golden.compaction_discount.find(({ name }) => name.startsWith('end_to_end'))!
    const turns = one.segments!.flatMap((segment, k) =>
      turnsOf(segment.optimised_mask, segment).map((turn) => ({ ...turn, segment: k })),
    )
    const found = only('compaction', rollout('r', turns), { gamma: one.gamma!, lambda: one.lambda! })
    expect(found).toEqual(near(one.advantages.flat()))
  })

  test.each(golden.gigpo)('gigpo: $name', (one) => {
    const rows = one.trajectories.map(({ rewards, anchors, episode_reward }, i) =>
      rollout(
        `r${i}`,
        rewards.flatMap((reward, k) => [said(2, { state_key: anchors[k]!, reward }), seen(1)]),
        { reward: episode_reward },
      ),
    )
    const normalize = one.mode === 'mean_norm' ? 'mean' : 'mean-std'
    const found = advantages('gigpo', rows, { gamma: one.gamma, omega: one.omega, normalize })
    expect(found).toEqual(one.total.map((row) => near(row.flatMap((value) => [value, value]))))
  })

  test.each(golden.gated_bepo)('gated-bepo: $name', (one) => {
    const rows = one.trajectories.map(({ states, rewards, final }, i) =>
      rollout(
        `r${i}`,
        states.map((state_key, k) => said(1, { state_key, reward: rewards[k]! })),
        {
          reward: rewards.reduce((sum, reward) => sum + reward, 0),
          ...(final !== null && { terminated: false, truncated: true, final_state_key: final }),
        },
      ),
    )
    const { gamma, lambda, omega } = one
    expect(advantages('gated-bepo', rows, { gamma, lambda, omega })).toEqual(one.total.map(near))
  })

  test.each(golden.factor)('factor: $name', (one) => {
    const turns = one.likelihood_gaps.map((gaps, k) =>
      said(gaps.length, {
        logprobs: gaps.map(() => -1),
        teacher_logprobs: gaps.map((gap) => gap - 1),
        values: gaps.map((_, j) => (j === 0 ? one.checkpoint_values[k]! : 9)),
        reward: one.action_rewards[k]!,
      }),
    )
    const { rollouts } = run('factor', [rollout('r', turns, { reward: 5 })], { tau: one.tau })
    expect(rollouts[0]!.credit.advantages).toEqual(near(one.token_credit.flat()))
    expect(rollouts[0]!.credit.facts).toMatchObject({
      trajectory_advantage: expect.closeTo(one.trajectory_advantage, 10),
      surrogate: expect.closeTo(one.surrogate, 10),
    })
  })

  test.each(golden.gamma_opd)('opd and opd-rbm: $name', (one) => {
    const lists = { logprobs: one.logp_student, teacher_logprobs: one.logp_teacher }
    const row = rollout('r', [said(one.logp_student.length, lists)], { reward: one.outcome_advantage })
    const { gamma, alpha, bound } = one
    expect(only('opd', row, { gamma })).toEqual(near(one.opd_advantages))
    expect(only('opd-rbm', row, { gamma, alpha, bound, baseline: 'none' })).toEqual(near(one.mixed))
  })

  test('monte-carlo: the coefficients of both reductions', () => {
    const one = golden.monte_carlo_broadcast[0]!
    const rows = one.rewards.map((reward, i) => rollout(`r${i}`, [said(one.response_lengths[i]!)], { reward }))
    const { rollouts } = run('monte-carlo', rows, { baseline: 'rloo' })
    rollouts.forEach(({ credit }, i) => {
      expect(credit.advantages).toEqual(near(Array<number>(one.response_lengths[i]!).fill(one.advantages[i]!)))
      expect(credit.facts?.coefficient).toEqual({
        token_sum: expect.closeTo(one.token_sum_coefficient_per_response[i]!, 10),
        token_mean: expect.closeTo(one.token_mean_coefficient_per_response[i]!, 10),
      })
    })
  })

  test('monte-carlo: groups by both conventions of the deviation', () => {
    for (const { rewards, ddof, eps, advantages: expected } of golden.grpo) {
      const rows = rewards.map((reward, i) => rollout(`r${i}`, [said(1)], { reward }))
      const found = advantages('monte-carlo', rows, { baseline: 'grpo', std_ddof: ddof, epsilon: eps })
      expect(found.flat()).toEqual(near(expected))
    }
  })
})

describe('where rewards stand', () => {
  test('the outcome at the last action token, only where no step reward is recorded', () => {
    const bare = rollout('r', [said(2), seen(3), said(2)], { reward: 1 })
    expect(only('reward-to-go', bare, { gamma: 0.5 })).toEqual([0.125, 0.25, 0.5, 1])
    const stepped = rollout('r', [said(2, { reward: 0 }), seen(3), said(2, { rewards: [0, 2] })], { reward: 1 })
    expect(only('reward-to-go', stepped, { gamma: 0.5 })).toEqual([0.25, 0.5, 1, 2])
    const zeros = rollout('r', [said(2, { reward: 0 })], { reward: 1 })
    expect(only('reward-to-go', zeros)).toEqual([0, 0])
    expect(run('reward-to-go', [zeros]).notes.join()).toContain('every recorded step reward is 0')
  })

  test('a turn’s own reward at its last token; what an observation earned at the action before it', () => {
    const row = rollout('r', [
      said(2, { rewards: [1, 2], reward: 4 }),
      seen(2, { rewards: [8, 16], reward: 32 }),
      said(1, { reward: 64 }),
      { role: 'tool', text: 'not tokenised', reward: 128 },
    ])
    expect(only('reward-to-go', row, { gamma: 0 })).toEqual([1, 2 + 4 + 8 + 16 + 32, 64 + 128])
  })

  test('what was earned before the first action belongs to the first; turns without tokens take no step', () => {
    const row = rollout('r', [
      said(0, { reward: 1 }),
      seen(0, { reward: 2 }),
      said(2, { values: [0, 0], rewards: [4, 8] }),
      said(0, { reward: 16 }),
    ])
    expect(
      only('reward-to-go', { ...row, turns: [{ ...user, reward: 32 }, ...row.turns.slice(1)] }, { gamma: 0 }),
    ).toEqual([1 + 2 + 4 + 32, 8 + 16])
    expect(only('gae-turn', row)).toEqual([31, 31])
  })

  test('gae counts observations that have values, and no others', () => {
    const values = { values: [0.5] }
    const given = { gamma: 0.5, lambda: 1 }
    const counted = rollout('r', [said(1, values), seen(1, { values: [0.25] }), said(1, values)], { reward: 1 })
    expect(only('gae', counted, given)).toEqual(near([0.25 - 0.5, 1 - 0.5]))
    const passed = rollout('r', [said(1, values), seen(1), said(1, values)], { reward: 1 })
    expect(only('gae', passed, given)).toEqual(near([0.5 - 0.5, 1 - 0.5]))
    expect(only('gae', passed, given)).toEqual(only('gae-skip-observation', counted, given))
    const mixed = rollout('r', [said(1, values), seen(1, { values: [0] }), said(1, values), seen(1), said(1, values)])
    expect(() => only('gae', mixed)).toThrow('gae needs values in turns[4] as in turns[2], or in no observation')
  })

  test('compaction repeats a lone outcome at the end of each segment', () => {
    const zero = { values: [0, 0] }
    const row = rollout('r', [said(2, { ...zero, segment: 0 }), said(2, { ...zero, segment: 3 })], { reward: 1 })
    const given = { gamma: 1, lambda: 0.5 }
    expect(only('compaction', row, given)).toEqual([0.125, 0.25, 0.5, 1])
    expect(only('compaction', row, { ...given, discount: 1 })).toEqual([0.5, 1, 0.5, 1])
    const back = rollout('r', [said(1, { segment: 1, values: [0] }), said(1, { segment: 0, values: [0] })])
    expect(() => only('compaction', back)).toThrow('turns[2] goes back to segment 0 after segment 1')
  })

  test('red pays an observation’s change to the action before it where it is scored', () => {
    const scored = rollout(
      'r',
      [said(1, { prefix_scores: [1] }), seen(1, { prefix_scores: [4] }), said(1, { prefix_scores: [5] })],
      { base_score: 0.5 },
    )
    expect(only('red', scored)).toEqual([0.5 + 3, 1])
    const bare = { ...scored, turns: scored.turns.map((turn) => (turn.role === 'tool' ? seen(1) : turn)) }
    expect(only('red', bare)).toEqual([0.5, 4])
  })

  test('comp-gae reads retention as the gate, or as a concentration where a bound is given', () => {
    const row = rollout('r', [said(2, { values: [0, 0], retention: [0.5, 2] })], { reward: 1 })
    expect(() => only('comp-gae', row)).toThrow('a retention of 2 is no gate')
    const bounded = run('comp-gae', [row], { lambda: 1, gate_min: 0.6 })
    expect(bounded.rollouts[0]!.credit.perToken?.gate).toEqual(near([0.8, 1]))
    expect(bounded.parameters).toEqual({ lambda: 1, retention: 'read as a concentration', gate_min: 0.6, gate_max: 1 })
    const gate = { ...row, turns: [user, said(2, { values: [0, 0], retention: [0.5, 1] })] }
    expect(run('comp-gae', [gate]).parameters).toEqual({ lambda: 0.95, retention: 'read as the gate' })
  })

  test('mbpo cut by segment compares whole segments', () => {
    const way = (id: string, first: number, second: number, reward: number) =>
      rollout(
        id,
        [{ ...said(1), token_ids: [first], segment: 0 }, seen(1), { ...said(1), token_ids: [second], segment: 0 }],
        {
          reward,
        },
      )
    const rows = [way('a', 1, 1, 1), way('b', 1, 2, 0), way('c', 2, 1, 0)]
    expect(advantages('mbpo', rows)).toEqual([
      [0.25, 0.5],
      [0.25, -0.5],
      [-0.25, 0],
    ])
    const third = 1 / 3
    expect(advantages('mbpo', rows, { cut: 'segment' })).toEqual(
      [2 * third, -third, -third].map((value) => near([value, value])),
    )
  })

  test('option: both levels stand side by side', () => {
    const row = rollout('r', [said(1, { values: [0.5], option: 0 }), seen(2), said(1, { values: [0.25], option: 1 })], {
      reward: 1,
    })
    const [{ credit } = { credit: undefined }] = run('option', [row], { gamma: 1, lambda: 1 }).rollouts
    expect(credit?.advantages).toEqual([-0.25, 0.75])
    expect(credit?.perToken?.option_advantage).toEqual([0.5, 0.75])
    expect(credit?.facts?.options).toMatchObject([
      { option: 0, turn: 1, tokens: 1, advantage: 0.5 },
      { option: 1, turn: 3, tokens: 1, advantage: 0.75 },
    ])
  })
})

describe('who counts', () => {
  const row = (id: string, reward: number | null, more: Partial<Trajectory> = {}) =>
    rollout(id, [said(2)], { reward, ...more })

  test('an abstention is left out of the mean, gets no advantage, and is no 0', () => {
    const rows = [row('a', 1), row('b', null), row('c', 0), row('d', 5, { end: 'environment_failure' })]
    const { rollouts, notes, summary } = run('monte-carlo', rows, { baseline: 'rloo' })
    expect(rollouts.map(({ absence }) => absence)).toEqual([null, 'abstained', null, 'environment_failure'])
    expect(rollouts.map(({ credit }) => credit.advantages)).toEqual([[1, 1], [], [-1, -1], []])
    expect(summary.episode.n).toBe(2)
    expect(notes[0]).toContain('2 of 4')
    expect(advantages('monte-carlo', rows.with(1, row('b', 0)), { baseline: 'rloo' })[0]).toEqual([1, 1])
    expect(advantages('monte-carlo', rows.with(1, row('b', 0)), { baseline: 'rloo' })[2]).toEqual([-0.5, -0.5])
  })

  test('groups of one and groups without variance, by method', () => {
    const one = [rollout('a', [said(1, { state_key: 's', logprobs: [-1] })], { reward: 3 })]
    for (const baseline of ['rloo', 'grpo-mean', 'grpo'] as const) {
      expect(advantages('monte-carlo', one, { baseline })).toEqual([[0]])
    }
    expect(advantages('gigpo', one)).toEqual([[3]])
    expect(advantages('gaca', one)).toEqual([[1.5]])
    const equal = ['a', 'b', 'c'].map((id) => rollout(id, [said(1, { state_key: 's' })], { reward: 0.1 }))
    expect(advantages('monte-carlo', equal, { baseline: 'grpo', epsilon: 0 })).toEqual([[0], [0], [0]])
    expect(advantages('gigpo', equal, { normalize: 'mean-std' })).toEqual([[0], [0], [0]])
  })

  test('a rollout without actions has no tokens and still counts in its group', () => {
    const rows = [row('a', 1), rollout('b', [said(0)], { reward: 0 })]
    expect(advantages('monte-carlo', rows, { baseline: 'rloo' })).toEqual([[1, 1], []])
    for (const { name } of methods) {
      const empty = [rollout('r', [said(0)], { base_score: 0, greedy_reward: 0 })]
      expect(advantages(name, empty), name).toEqual([[]])
      expect(run(name, empty).summary.token).toEqual({ mean: null, std: null, n: 0 })
    }
  })

  test('means and deviations at four scales', () => {
    const ask: Turn = { role: 'user', token_ids: [3] }
    const rewards = (...list: number[]) => said(list.length, { rewards: list })
    const { summary } = run(
      'reward-to-go',
      [rollout('a', [rewards(1), seen(1), rewards(2, 4), ask, rewards(6)]), rollout('b', [rewards(8)])],
      { gamma: 0 },
    )
    expect(summary.token).toMatchObject({ n: 5, mean: 21 / 5 })
    expect(summary.turn).toMatchObject({ n: 4, mean: (1 + 3 + 6 + 8) / 4 })
    expect(summary.response).toMatchObject({ n: 3, mean: expect.closeTo((7 / 3 + 6 + 8) / 3, 12) })
    expect(summary.episode).toMatchObject({ n: 2, mean: (13 / 4 + 8) / 2, std: (8 - 13 / 4) / 2 })
  })
})

describe('what is missing', () => {
  const whole: Partial<Turn> = {
    logprobs: [-1],
    teacher_logprobs: [-1],
    values: [0],
    retention: [1],
    prefix_scores: [0],
    token_influences: [0],
    state_key: 's',
    segment: 0,
    option: 0,
  }
  const complete = rollout('r0', [said(1, whole), seen(1), said(1, whole)], { base_score: 0, greedy_reward: 0 })
  const without = (field: string) => ({
    ...complete,
    turns: complete.turns.with(
      3,
      Object.fromEntries(Object.entries(complete.turns[3]!).filter(([k]) => k !== field)) as unknown as Turn,
    ),
  })
  const cases: [string, string, GivenSettings?][] = [
    ['td', 'values'],
    ['gae', 'values'],
    ['gae-turn', 'values'],
    ['gae-skip-observation', 'values'],
    ['compaction', 'values'],
    ['compaction', 'segment'],
    ['comp-gae', 'values'],
    ['comp-gae', 'retention'],
    ['gigpo', 'state_key'],
    ['gaca', 'state_key'],
    ['gaca', 'logprobs'],
    ['gated-bepo', 'state_key'],
    ['factor', 'values'],
    ['factor', 'logprobs'],
    ['factor', 'teacher_logprobs'],
    ['opd', 'logprobs'],
    ['opd', 'teacher_logprobs'],
    ['opd-rbm', 'teacher_logprobs'],
    ['red', 'prefix_scores'],
    ['p2t', 'token_influences'],
    ['option', 'values'],
    ['option', 'option'],
  ]

  test.each(cases)('%s names %s and its turn', (name, field) => {
    expect(() => only(name, complete)).not.toThrow()
    expect(() => only(name, without(field))).toThrow(
      new BadInput('file.jsonl', `${name} needs ${field} in turns[3]`, 'row r0'),
    )
  })

  test('and fields of the whole rollout', () => {
    const { base_score: _base, greedy_reward: _greedy, ...bare } = complete
    expect(() => only('red', bare)).toThrow('red needs base_score (row r0)')
    expect(() => only('monte-carlo', bare, { baseline: 'greedy' })).toThrow('needs greedy_reward (row r0)')
    expect(only('monte-carlo', { ...complete, greedy_reward: 2 }, { baseline: 'greedy' })).toEqual([-2, -2])
    expect(() => only('mbpo', { ...complete, turns: [{ role: 'user' }, said(1)] })).toThrow('token_ids in turns[0]')
    expect(() => only('mbpo', complete, { cut: 'segment' })).not.toThrow()
    expect(() => only('mbpo', without('segment'), { cut: 'segment' })).toThrow('needs segment in turns[3]')
  })

  test('token ids of an action, whatever the method', () => {
    const text = { ...complete, turns: [user, { role: 'assistant', text: 'hi' } as const] }
    for (const { name } of methods) expect(() => only(name, text), name).toThrow('token_ids in turns[1]')
  })

  test('the value where a rollout was cut; a terminated one ignores it', () => {
    const cut = { ...complete, terminated: false, truncated: true }
    for (const name of [
      'td',
      'gae',
      'gae-turn',
      'gae-skip-observation',
      'compaction',
      'comp-gae',
      'factor',
      'option',
    ]) {
      expect(() => only(name, cut), name).toThrow(`${name} needs bootstrap_value`)
      expect(only(name, { ...complete, bootstrap_value: 9 })).toEqual(only(name, complete))
      expect(only(name, { ...cut, bootstrap_value: 9 })).not.toEqual(only(name, complete))
    }
    expect(() => only('gated-bepo', cut)).toThrow('gated-bepo needs final_state_key')
    const looped = { ...cut, final_state_key: 's' }
    expect(() => only('gated-bepo', looped)).toThrow('no walk leaves the states s')
    expect(only('gated-bepo', looped, { gamma: 0.9 })).toHaveLength(2)
  })
})

describe('the registry', () => {
  test('names every method once, and each says what it is', () => {
    expect(methods.map(({ name }) => name)).toEqual(methodNames)
    for (const method of methods) {
      for (const text of [method.formula, method.source, method.cannotClaim]) {
        expect(text, method.name).toMatch(/^\S.*\S$/)
      }
    }
    expect(() => methodNamed('gea', '--method')).toThrow('--method: gea is no method; did you mean gae?')
  })

  test('settings out of range are refused by their flag', () => {
    const refused: [GivenSettings, string][] = [
      [{ gamma: 1.1 }, '--gamma: 1.1'],
      [{ lambda: -0.1 }, '--lambda: -0.1'],
      [{ tau: 0 }, '--tau: 0'],
      [{ std_ddof: 2 }, '--std-ddof: 2'],
      [{ gate_min: 0.9, gate_max: 0.5 }, '--gate-max: 0.5 lies below --gate-min 0.9'],
      [{ gate_max: 0.5 }, '--gate-max: 0.5 lies below the default --gate-min 0.8'],
      [{ omega: Number.NaN }, '--omega: NaN'],
    ]
    for (const [given, message] of refused) expect(() => run('gae', [], given)).toThrow(message)
  })

  test('only what a method reads is stated', () => {
    expect(run('gae', [], { omega: 2 }).parameters).toEqual({ gamma: 1, lambda: 0.95 })
    expect(run('monte-carlo', []).parameters).toEqual({ baseline: 'none' })
    expect(run('opd-rbm', []).parameters).toMatchObject({ baseline: 'grpo', std_ddof: 1, epsilon: 1e-4 })
    expect(run('compaction', [], { gamma: 0.5, lambda: 0.5 }).parameters).toMatchObject({ discount: 0.25 })
  })
})
