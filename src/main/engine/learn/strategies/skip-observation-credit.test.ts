/** PPO's credit over turns, by hand. */
import { describe, expect, it } from 'vitest'
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { trainedRow } from '../../credit/trained-row.ts'
import type { SampledRollout } from '../advantage-strategy.ts'
import { creditOf } from './skip-observation-credit.ts'

/** Two tokens that check, an observation of three, one token that answers. */
function rollout(part: Partial<Trajectory>, paid: readonly [number, number]): SampledRollout {
  const trajectory = {
    id: 'r',
    group: 'g',
    reward: paid[0] + paid[1],
    terminated: true,
    truncated: false,
    turns: [
      { role: 'user', token_ids: [1, 2] },
      { role: 'assistant', token_ids: [3, 4], reward: paid[0] },
      { role: 'tool', token_ids: [5, 6, 7] },
      { role: 'assistant', token_ids: [8], reward: paid[1] },
    ],
    ...part,
  } as SampledRollout['trajectory']
  const row = trainedRow(trajectory, 'test')
  return {
    sampled: trajectory,
    trajectory,
    row,
    old: row.actionMask.map((action) => (action ? -1 : 0)),
    reference: row.actionMask.map((action) => (action ? -2 : 0)),
  }
}
const settings = { learning_rate: 0, gamma: 1, gae_lambda: 0.5, value_loss_coef: 0.5, kl_coefficient: 0.1 }
// V before each completion token and after the last; the 9s stand at observations and must not be read.
const values = [0.5, 0.25, 9, 9, 9, 0.75, 0.125]

const near = (found: readonly number[], expected: readonly number[]) => {
  expect(found.length).toBe(expected.length)
  expected.forEach((value, i) => {
    expect(found[i]).toBeCloseTo(value, 12)
  })
}

describe('credit along the action tokens', () => {
  it('crosses an observation as one step and ends with the episode', () => {
    const { advantages, returns, values: own, advantage } = creditOf(rollout({}, [-0.25, 1]), values, settings)
    // Each token pays 0.1 · (−1 − −2). δ: −0.1 + 0.25 − 0.5, −0.35 + 0.75 − 0.25, 0.9 − 0.75.
    const deltas = [-0.35, 0.15, 0.15]
    const expected = [deltas[0]! + 0.5 * (deltas[1]! + 0.5 * deltas[2]!), deltas[1]! + 0.5 * deltas[2]!, deltas[2]!]
    near(advantages, expected)
    near(own!, [0.5, 0.25, 0.75])
    near(returns!, [expected[0]! + 0.5, expected[1]! + 0.25, expected[2]! + 0.75])
    expect(advantage).toBeCloseTo(0.75 - 0.3 - 0.5, 12)
  })
  it('goes on from a cut with the critic’s value', () => {
    const cut = creditOf(rollout({ terminated: false, truncated: true }, [-0.25, 0]), values, settings)
    near([cut.advantages.at(-1)!], [-0.1 + 0.125 - 0.75])
  })
  it('moves with the state after the tail, not with what an observation is worth', () => {
    const other = values.map((value, t) => (t >= 2 && t <= 4 ? -7 : value))
    const terminal = rollout({}, [-0.25, 1])
    near(creditOf(terminal, other, settings).advantages, creditOf(terminal, values, settings).advantages)
  })
})
