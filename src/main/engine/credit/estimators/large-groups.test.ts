/** Groups of many rollouts: time that grows with their number, not its square, and a limit where it must. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BadInput } from '../../../../shared/bad-input.ts'
import { mean } from '../../study/statistics.ts'
import { leaveOneOut } from './baselines.ts'
import { mostStates } from './gated-bepo.ts'
import { branchAdvantages } from './mbpo.ts'
import { rollout, run, said } from './trajectory-fixture.ts'

const reward = fc.double({ min: -100, max: 100, noNaN: true })
const byDefinition = (rewards: readonly number[]) =>
  rewards.map((own, i) => own - mean(rewards.filter((_, j) => j !== i)))

describe('leave one out', () => {
  it('is the reward less the mean of the others', () => {
    fc.assert(
      fc.property(fc.array(reward, { minLength: 2, maxLength: 40 }), (rewards) => {
        const defined = byDefinition(rewards)
        leaveOneOut(rewards).forEach((advantage, i) => {
          expect(Math.abs(advantage - defined[i]!)).toBeLessThanOrEqual(1e-12)
        })
      }),
    )
  })

  it('is exactly 0 where all are equal', () => {
    fc.assert(
      fc.property(reward, fc.integer({ min: 1, max: 300 }), (value, size) =>
        leaveOneOut(Array<number>(size).fill(value)).every((advantage) => advantage === 0),
      ),
    )
  })

  it('takes 200,000 rewards', () => {
    const rewards = Array.from({ length: 200_000 }, (_, i) => (i % 1000) / 1000)
    const found = leaveOneOut(rewards)
    // Σ = 200 · (0 + 1 + … + 999) / 1000 = 99,900.
    for (const at of [0, 1, 777, 199_999]) {
      expect(found[at]).toBeCloseTo(rewards[at]! - (99_900 - rewards[at]!) / 199_999, 12)
    }
  })
})

it('branches are compared with 50,000 siblings', () => {
  const outcomes = Array.from({ length: 50_000 }, (_, i) => i % 2)
  const pieces = outcomes.map((_, i) => [{ kind: 'action', key: String(i) } as const])
  const branches = branchAdvantages(pieces, outcomes, 'mean')
  expect(branches[0]).toEqual([{ value: 0, siblings: 50_000, advantage: -0.5 }])
  expect(branches[49_999]).toEqual([{ value: 1, siblings: 50_000, advantage: 0.5 }])
}, 20_000)

it('a Bellman graph of more states than can be solved is refused by file, group, number and limit', () => {
  const rows = (states: number) =>
    Array.from({ length: states }, (_, i) => rollout(`r${i}`, [said(1, { state_key: `s${i}` })], { group: 'wide' }))
  expect(mostStates).toBe(2000)
  const refused = () => run('gated-bepo', rows(2001))
  expect(refused).toThrow(BadInput)
  expect(refused).toThrow(/^file\.jsonl: .* 2001 here and may be 2000; .* \(group wide\)$/)
  expect(run('gated-bepo', rows(50)).rollouts).toHaveLength(50)
})
