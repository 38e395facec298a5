/** The golden numbers again, by way of trajectories: masks become turns, anchors state keys, gaps log-probabilities. */
import { expect, test } from 'vitest'
import type { Turn } from '../../../../shared/trajectory.ts'
import { golden } from './golden-cases.ts'
import { advantages, near, only, rollout, run, said, seen } from './trajectory-fixture.ts'

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
