/** Groups are told apart, rollouts without a reward are in none, and token rewards are compared over a group's tokens. */
import { expect, test } from 'vitest'
import { leaveOneOut } from './estimators/baselines.ts'
import { groupAdvantages, groupDeviations, grpo, processAdvantages } from './group-advantages.ts'

const near = (got: readonly number[], wanted: readonly number[], tolerance = 1e-10) => {
  expect(got.length).toBe(wanted.length)
  wanted.forEach((value, i) => {
    expect(Math.abs(got[i]! - value)).toBeLessThan(tolerance)
  })
}

test('the offset of the deviation is 1e-4: rewards as close as it are not blown up', () => {
  // The deviation (of n − 1) of two rewards d apart is d/√2.
  const d = 2e-4
  near(grpo([d, 0]), [d / 2 / (d / Math.SQRT2 + 1e-4), -d / 2 / (d / Math.SQRT2 + 1e-4)])
})

test('each group by itself, in the order of the rollouts, abstentions apart', () => {
  const rollouts = [
    { group: 'a', reward: 1 },
    { group: 'b', reward: 5 },
    { group: 'a', reward: null },
    { group: 'a', reward: 0 },
    { group: 'b', reward: 5 },
  ]
  const [high, low] = grpo([1, 0])
  near(groupAdvantages(rollouts), [high!, 0, 0, low!, 0])
  near(groupAdvantages(rollouts, leaveOneOut), [1, 0, 0, -1, 0])
  near(groupDeviations(rollouts), [Math.SQRT1_2, 0, 0, Math.SQRT1_2, 0])
})

test('process supervision: standardised over the tokens of the group, then summed to the end', () => {
  // Mean 1, deviation √(8/3) of n − 1 of 3, −1, 1, 1; the ε in the denominator moves the fourth digit.
  const deviation = Math.sqrt(8 / 3)
  const [first, second] = processAdvantages([[3, -1, 1], [1]])
  near(first!, [0, -2 / deviation, 0], 1e-4)
  near(second!, [0])
  near(processAdvantages([[2, 2], [2]]).flat(), [0, 0, 0])
})

test('process supervision with the whole reward on the last of equally many tokens is GRPO up to one factor', () => {
  const rewards = [1, 4, 2, 9]
  const tokens = processAdvantages(rewards.map((reward) => [0, 0, reward]))
  const whole = grpo(rewards)
  const factor = tokens[0]![0]! / whole[0]!
  expect(factor).toBeGreaterThan(0)
  near(
    tokens.map((row) => row[0]!),
    whole.map((advantage) => factor * advantage),
  )
})
