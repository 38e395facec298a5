/** The shift of distributions: by hand, against direct sums, and its bounds over random ones. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { distributionShift, divergence, entropy, logSoftmax, mostChanged } from './distribution-shift.ts'

const logs = (p: readonly number[]) => Float64Array.from(p, Math.log)

test('two coins by hand', () => {
  const shift = distributionShift(logs([0.5, 0.5]), logs([0.8, 0.2]))
  expect(shift.kl).toBeCloseTo(0.5 * Math.log(0.5 / 0.8) + 0.5 * Math.log(0.5 / 0.2), 14)
  expect(shift.kl_reverse).toBeCloseTo(0.8 * Math.log(0.8 / 0.5) + 0.2 * Math.log(0.2 / 0.5), 14)
  expect(shift.total_variation).toBeCloseTo(0.3, 14)
  expect(shift.log_ratio_range).toBeCloseTo(Math.log(4), 14)
  expect(shift.kl_bound).toBeCloseTo(Math.log(4) ** 2 / 8, 14)
  expect(shift.pinsker_bound).toBeCloseTo(Math.sqrt(Math.min(shift.kl, shift.kl_reverse) / 2), 14)
  expect(entropy(logs([0.5, 0.5]))).toBeCloseTo(Math.LN2, 14)
})

test('the bound is met in the limit: an even coin, tilted ever less', () => {
  const ratio = (tilt: number) => {
    const { kl_reverse, kl_bound } = distributionShift(logSoftmax([tilt, -tilt]), logs([0.5, 0.5]))
    return kl_reverse / kl_bound
  }
  expect(ratio(1)).toBeLessThan(0.9)
  expect(ratio(1e-3)).toBeGreaterThan(0.999_999)
  expect(ratio(1e-3)).toBeLessThanOrEqual(1)
})

test('a distribution and itself, shifted logits included: exactly 0, and nothing below 0 where p vanishes', () => {
  const p = logSoftmax([3, -2, 0.5])
  expect(distributionShift(p, p)).toMatchObject({ kl: 0, kl_reverse: 0, total_variation: 0, kl_bound: 0 })
  expect(distributionShift(p, logSoftmax([13, 8, 10.5])).kl).toBeLessThan(1e-30)
  const far = distributionShift(logSoftmax([0, -1000]), logSoftmax([-1000, 0]))
  expect(far.kl).toBeCloseTo(1000, 9)
  expect(far.total_variation).toBe(1)
  expect(far.kl_bound).toBe(2000 ** 2 / 8)
  expect(() => logSoftmax([0, Number.NaN])).toThrow(/logit 1 is NaN/)
})

const logits = fc.array(fc.double({ min: -30, max: 30, noNaN: true }), { minLength: 2, maxLength: 40 })

test('whatever p and q are: both divergences stay below range²/8, the variation below Pinsker, and both match direct sums', () => {
  fc.assert(
    fc.property(logits, logits, fc.double({ min: 0, max: 1, noNaN: true }), (a, b, mix) => {
      const count = Math.min(a.length, b.length)
      const p = logSoftmax(a.slice(0, count))
      // Near and far: a whole move to other logits, or a part of it.
      const q = logSoftmax(a.slice(0, count).map((value, v) => value + mix ** 4 * (b[v]! - value)))
      const shift = distributionShift(p, q)
      const direct = p.reduce((sum, value, v) => sum + Math.exp(value) * (value - q[v]!), 0)
      expect(Math.abs(shift.kl - direct)).toBeLessThan(1e-12)
      expect(divergence(q, p)).toBe(shift.kl_reverse)
      const slack = 1 + 1e-9
      expect(shift.kl).toBeLessThanOrEqual(shift.kl_bound * slack + 1e-28)
      expect(shift.kl_reverse).toBeLessThanOrEqual(shift.kl_bound * slack + 1e-28)
      expect(shift.total_variation).toBeLessThanOrEqual(shift.pinsker_bound * slack + 1e-14)
      expect(shift.kl).toBeGreaterThanOrEqual(0)
    }),
    { seed: 49, numRuns: 500 },
  )
})

test('tokens in the order of their change, the smaller id first where it is equal', () => {
  expect(mostChanged(logs([0.25, 0.25, 0.5]), logs([0.5, 0.25, 0.25]), 2)).toEqual([0, 2])
})
