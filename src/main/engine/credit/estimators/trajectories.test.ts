/** From a trajectory to a method's numbers: where rewards stand, what ends a rollout, who counts, and what is missing. */
import { describe, expect, test } from 'vitest'
import { BadInput } from '../../../../shared/bad-input.ts'
import type { Trajectory, Turn } from '../../../../shared/trajectory.ts'
import { methodNames } from './method-names.ts'
import { methodNamed, methods } from './registry.ts'
import type { GivenSettings } from './settings.ts'
import { advantages, near, only, rollout, run, said, seen, user } from './trajectory-fixture.ts'

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

  test('what was earned before any token at all belongs to the first action', () => {
    const row = rollout('r', [said(2, { rewards: [4, 8] })])
    const turns = [{ ...said(0), reward: 1 }, ...row.turns.slice(1)]
    expect(only('reward-to-go', { ...row, turns }, { gamma: 0 })).toEqual([1 + 4, 8])
  })

  test('a turn longer than an argument list is summed up like any other', () => {
    const long = rollout('r', [said(200_000)], { reward: 1 })
    const { response, episode } = run('monte-carlo', [long], { baseline: 'none' }).summary
    expect(response).toEqual({ mean: 1, std: 0, n: 1 })
    expect(episode).toEqual(response)
  })

  test('settings that lead out of the range of a double are refused by row, and never ranked', () => {
    const rows = [0, 1].map((reward, k) => rollout(`r${k}`, [said(1, { state_key: 's' })], { reward }))
    expect(() => run('gigpo', rows, { omega: 1e308 })).toThrow(
      /gigpo gives advantages that are no finite numbers with .*omega 1e\+308.* \(row r0\)/,
    )
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
