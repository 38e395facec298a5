/** The induced process reward: golden numbers, sums that close, and a refusal only where there is nothing to read. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inducedProcessReward, type PrefixRollout } from './process-reward.ts'

interface Golden {
  name: string
  rollouts: number[][]
  rewards: number[]
  root_value: number
  process_reward: number[][]
  divergence_depth: number[]
  mean_divergence_depth: number
  informative_fraction: number
  zero_fraction: number
  induced_function_constant: boolean
  kill_condition: boolean
  values: number[][]
  counts: number[][]
}
const golden: Golden[] = JSON.parse(
  readFileSync(new URL('../../../../test/golden/credit/estimators.json', import.meta.url), 'utf8'),
).induced_process_reward

const near = (rows: readonly (readonly number[])[]) =>
  rows.map((row) => row.map((value) => expect.closeTo(value, 12) as number))

test.each(golden)('golden: $name', (one) => {
  const result = inducedProcessReward(one.rollouts.map((ids, i) => ({ ids, outcome: one.rewards[i]! })))
  expect(result.root).toBeCloseTo(one.root_value, 12)
  expect(result.rewards).toEqual(near(one.process_reward))
  expect(result.values).toEqual(near(one.values))
  expect(result.counts).toEqual(one.counts)
  expect(result.divergenceDepths).toEqual(one.divergence_depth)
  expect(result.informativeFraction).toBeCloseTo(one.informative_fraction, 12)
  expect(result.zeroFraction).toBeCloseTo(one.zero_fraction, 12)
  expect(result.constant).toBe(one.induced_function_constant)
  expect(result.killed).toBe(one.kill_condition)
})

const rollouts = fc.array(
  fc.record({
    ids: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 }),
    outcome: fc.integer({ min: -4, max: 4 }).map((n) => n / 8),
  }),
  { minLength: 1, maxLength: 8 },
)

test('the rewards of a rollout sum to its outcome less the root', () => {
  fc.assert(
    fc.property(rollouts, (group) => {
      const { rewards, root } = inducedProcessReward(group)
      group.forEach(({ outcome }, i) => {
        expect(rewards[i]!.reduce((sum, r) => sum + r, 0)).toBeCloseTo(outcome - root, 12)
      })
    }),
  )
})

test('equals a count over all pairs of rollouts', () => {
  const lcp = (a: readonly number[], b: readonly number[]) => {
    let t = 0
    while (t < a.length && t < b.length && a[t] === b[t]) t++
    return t
  }
  fc.assert(
    fc.property(rollouts, (group) => {
      const result = inducedProcessReward(group)
      group.forEach(({ ids }, i) => {
        ids.forEach((_, t) => {
          const sharing = group.filter((other) => lcp(other.ids, ids) >= t + 1)
          expect(result.counts[i]![t + 1]).toBe(sharing.length)
          const q = sharing.reduce((sum, { outcome }) => sum + outcome, 0) / sharing.length
          expect(result.values[i]![t + 1]).toBeCloseTo(q, 12)
        })
        const others = group.filter((_, j) => j !== i).map((other) => lcp(other.ids, ids))
        expect(result.divergenceDepths[i]).toBe(1 + Math.max(0, ...others))
      })
      const whole = group.length < 2 ? 0 : Math.min(...group.map(({ ids }) => lcp(ids, group[0]!.ids)))
      expect(result.longestCommonPrefix).toBe(whole)
    }),
  )
})

test('the order of the group does not matter', () => {
  fc.assert(
    fc.property(rollouts, (group) => {
      const one = inducedProcessReward(group)
      const other = inducedProcessReward(group.toReversed())
      expect(other.rewards.toReversed()).toEqual(near(one.rewards))
      expect(other.informativeFraction).toBe(one.informativeFraction)
    }),
  )
})

test('observations carry no fraction, and rollouts of another prompt share nothing', () => {
  const trained = [1, 0, 0, 1]
  const at = (ids: number[], outcome: number, prompt = 'p'): PrefixRollout => ({ ids, outcome, prompt, trained })
  const same = inducedProcessReward([at([1, 8, 9, 2], 1), at([1, 8, 9, 3], 0)])
  expect(same).toMatchObject({ trainedPositions: 4, informativeFraction: 0.5, longestCommonPrefix: 3, killed: false })
  const apart = inducedProcessReward([at([1, 8, 9, 2], 1), at([1, 8, 9, 3], 0, 'q')])
  expect(apart).toMatchObject({ root: 0.5, informativeFraction: 0, longestCommonPrefix: 0, killed: true })
})

test('equal outcomes leave exact zeros where sums would round', () => {
  const group = [[1, 2], [1, 3], [1, 4], [5]].map((ids) => ({ ids, outcome: 0.1 }))
  expect(inducedProcessReward(group)).toMatchObject({ zeroFraction: 1, constant: true, killed: true })
})

test("an outcome that is its group's mean leaves an exact zero too, where a plain sum would round", () => {
  const group = [0, 0.09, 0.18].map((outcome, first) => ({ ids: [first, 9], outcome }))
  expect(inducedProcessReward(group)).toMatchObject({ root: 0.09, zeroFraction: 4 / 6 })
})

test('long rollouts that part at once take no memory beyond the answer', () => {
  const group = [0, 1].map((first) => ({
    ids: Float64Array.from({ length: 200_000 }, (_, t) => (t ? 7 : first)),
    outcome: first,
  }))
  expect(inducedProcessReward(group)).toMatchObject({ informativeFraction: 0, longestCommonPrefix: 0 })
})

test('a group that nobody graded has no process reward', () => {
  expect(() => inducedProcessReward([])).toThrow('no graded rollout')
})
