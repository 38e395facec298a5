import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bootstrapMeanInterval,
  bootstrapRateInterval,
  mean,
  quantile,
  runningSums,
  standardDeviation,
  sum,
  variance,
  wilsonInterval,
} from './statistics.ts'

const golden = JSON.parse(
  readFileSync(new URL('../../../../test/golden/study/statistics.json', import.meta.url), 'utf8'),
) as {
  moments: {
    name: string
    values: number[]
    sum: number
    mean: number
    sd0: number
    sd1: number
    quantiles: [number, number][]
  }[]
  bootstrap: { units: number[]; seed: number; resamples: number; level: number; interval: [number, number] }[]
  wilson: { successes: number; trials: number; interval: [number, number] }[]
}
const close = (actual: number, expected: number, tolerance = 1e-13) =>
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(expected)))

describe('moments and quantiles', () => {
  for (const expected of golden.moments) {
    it(expected.name, () => {
      expect(sum(expected.values)).toBe(expected.sum)
      const sums = runningSums(expected.values)
      expect(sums.at(-1)).toBe(expected.sum)
      sums.forEach((value, n) => {
        expect(value).toBe(sum(expected.values.slice(0, n)))
      })
      expect(mean(expected.values)).toBe(expected.mean)
      close(standardDeviation(expected.values, 0), expected.sd0)
      close(standardDeviation(expected.values, 1), expected.sd1)
      for (const [p, value] of expected.quantiles) close(quantile(expected.values, p), value)
    })
  }
  it('refuse what is not defined', () => {
    expect(() => mean([])).toThrow(RangeError)
    expect(() => variance([1], 1)).toThrow(RangeError)
    expect(variance([1], 0)).toBe(0)
    expect(() => quantile([], 0.5)).toThrow(RangeError)
    expect(() => quantile([1], 1.5)).toThrow(RangeError)
  })
})

describe('bootstrap over independent units', () => {
  for (const expected of golden.bootstrap) {
    it(`seed ${expected.seed}, ${expected.resamples} resamples`, () => {
      const [low, high] = bootstrapMeanInterval(expected.units, expected)
      close(low, expected.interval[0], 1e-12)
      close(high, expected.interval[1], 1e-12)
    })
  }
  it('same seed, same interval; the mean of constant units is certain', () => {
    const units = [0.2, -1, 3, 0.4]
    expect(bootstrapMeanInterval(units, { seed: 1 })).toEqual(bootstrapMeanInterval(units, { seed: 1 }))
    expect(bootstrapMeanInterval([2, 2, 2], { seed: 1, resamples: 50 })).toEqual([2, 2])
  })
  it('of a pooled rate: equal units as their mean; a large unit weighs as it does in the rate', () => {
    const settings = { seed: 5, resamples: 2000 }
    const counts = [3, 7, 9, 4, 6].map((events) => ({ events, trials: 10 }))
    const [low, high] = bootstrapRateInterval(counts, settings)
    const [meanLow, meanHigh] = bootstrapMeanInterval([0.3, 0.7, 0.9, 0.4, 0.6], settings)
    close(low, meanLow, 1e-12)
    close(high, meanHigh, 1e-12)
    const uneven = Array.from({ length: 20 }, (_, i) =>
      i < 10 ? { events: 90, trials: 100 } : { events: 0, trials: 10 },
    )
    const [from, to] = bootstrapRateInterval(uneven, settings)
    const pooled = 900 / 1100
    expect(from).toBeLessThan(pooled)
    expect(to).toBeGreaterThan(pooled)
    // The mean of the units' rates is 0.45, and far from it.
    expect(from).toBeGreaterThan(0.6)
  })
  it('lies inside the range of the units and moves with them', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -100, max: 100 }), { minLength: 1, maxLength: 30 }), (units) => {
        const settings = { seed: 3, resamples: 50 }
        const [low, high] = bootstrapMeanInterval(units, settings)
        expect(low).toBeGreaterThanOrEqual(Math.min(...units) - 1e-9)
        expect(high).toBeLessThanOrEqual(Math.max(...units) + 1e-9)
        expect(low).toBeLessThanOrEqual(high)
        const [moved] = bootstrapMeanInterval(
          units.map((unit) => unit + 10),
          settings,
        )
        close(moved, low + 10, 1e-12)
      }),
      { numRuns: 40 },
    )
  })
})

describe('Wilson interval', () => {
  for (const { successes, trials, interval } of golden.wilson) {
    it(`${successes} of ${trials}`, () => {
      const [low, high] = wilsonInterval(successes, trials)
      close(low, interval[0], 1e-9)
      close(high, interval[1], 1e-9)
    })
  }
  it('touches 0 and 1 exactly at the ends and refuses what is no proportion', () => {
    expect(wilsonInterval(0, 9)[0]).toBe(0)
    expect(wilsonInterval(9, 9)[1]).toBe(1)
    expect(() => wilsonInterval(0, 0)).toThrow(RangeError)
    expect(() => wilsonInterval(3, 2)).toThrow(RangeError)
  })
})
