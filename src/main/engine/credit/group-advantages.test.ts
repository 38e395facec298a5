/** Group advantages against golden numbers; groups are told apart and rollouts without a reward are in none. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { groupAdvantages, groupDeviations, grpo, leaveOneOut } from './group-advantages.ts'

const golden = new URL('../../../../test/golden/credit/estimators.json', import.meta.url).pathname
const cases = JSON.parse(readFileSync(golden, 'utf8')) as {
  grpo: { rewards: number[]; eps: number; ddof: number; advantages: number[] }[]
  rloo: { rewards: number[]; advantages: number[] }[]
}
const near = (got: readonly number[], wanted: readonly number[]) => {
  expect(got.length).toBe(wanted.length)
  wanted.forEach((value, i) => {
    expect(Math.abs(got[i]! - value)).toBeLessThan(1e-10)
  })
}

test.each(cases.grpo)('GRPO of $rewards, ddof $ddof', ({ rewards, eps, ddof, advantages }) => {
  near(grpo(rewards, { ddof, epsilon: eps }), advantages)
})
test.each(cases.rloo)('leave-one-out of $rewards', ({ rewards, advantages }) => {
  near(leaveOneOut(rewards), advantages)
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
