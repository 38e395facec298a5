import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupNormalised, leaveOneOut, meanCentred } from '../../engine/credit/estimators/baselines.ts'
import { chainAdvantage } from '../../engine/credit/estimators/gae.ts'
import { centredScore, rewardsOfGae, rewardsOfReturns } from './recover-rewards.ts'

const number = fc.double({ min: -3, max: 3, noNaN: true })
const rows = fc.integer({ min: 1, max: 12 }).chain((length) =>
  fc.record({
    rewards: fc.array(number, { minLength: length, maxLength: length }),
    values: fc.array(number, { minLength: length, maxLength: length }),
    gamma: fc.double({ min: 0, max: 1, noNaN: true }),
    lambda: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
)

test('GAE forward, then back: the rewards that went in', () => {
  fc.assert(
    fc.property(rows, ({ rewards, values, gamma, lambda }) => {
      const { advantages } = chainAdvantage(rewards, values, { terminal: true, value: 0 }, gamma, lambda)
      const returns = advantages.map((advantage, t) => advantage + values[t]!)
      for (const [t, reward] of rewardsOfGae(returns, values, gamma, lambda).entries())
        expect(reward).toBeCloseTo(rewards[t]!, 10)
    }),
  )
})

test('by hand: γ 0.5, λ 0.5, two tokens', () => {
  // δ = [1 + 0.5·4 − 2, 3 − 4] = [1, −1]; A = [1 − 0.25, −1]; returns = [2.75, 3].
  expect(rewardsOfGae([2.75, 3], [2, 4], 0.5, 0.5)).toEqual([1, 3])
})

test('discounted returns begin anew outside the response', () => {
  // G = [1 + 0.5·2, 2] inside, whatever stands behind.
  expect(rewardsOfReturns([2, 2, 99], [true, true, false], 0.5)).toEqual([1, 2, 99])
})

test('scores of a group estimator, estimated again, are the advantages that were recorded', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 2, maxLength: 8 }), (rewards) => {
      const loo = leaveOneOut(rewards)
      const scores = loo.map((advantage) => centredScore('rloo', advantage, rewards.length))
      for (const [k, score] of scores.entries()) expect(score).toBeCloseTo(meanCentred(rewards)[k]!, 10)
      for (const [k, again] of leaveOneOut(scores).entries()) expect(again).toBeCloseTo(loo[k]!, 10)
      const advantages = groupNormalised(rewards, 1, 1e-6)
      const own = advantages.map((advantage) => centredScore('grpo', advantage, rewards.length))
      for (const [k, again] of groupNormalised(own, 1, 1e-6).entries()) expect(again).toBeCloseTo(advantages[k]!, 4)
    }),
  )
})
