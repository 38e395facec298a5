import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dot, norm, total, VectorSum } from './vectors.ts'

test('an inner product of a million terms keeps its last digits', () => {
  const length = 1_000_000
  const tenth = new Float64Array(length).fill(0.1)
  const ones = new Float64Array(length).fill(1)
  // The running sum is wrong by 1.3e-11 of this.
  expect(Math.abs(dot(tenth, ones) - 100_000) / 100_000).toBeLessThan(1e-15)
  expect(norm(Float64Array.of(3, 4))).toBe(5)
  expect(dot(new Float64Array(0), new Float64Array(0))).toBe(0)
})

test('a compensated sum keeps what cancels', () => {
  expect(total([1, 1e100, 1, -1e100])).toBe(2)
  const sum = new VectorSum(1, 'float64')
  for (const value of [1, 1e100, 1, -1e100]) sum.add(Float64Array.of(value))
  expect(sum.norm()).toBe(2)
  expect(sum.distanceTo(Float64Array.of(5))).toBe(3)
  expect(Array.from(sum.values())).toEqual([2])
  sum.add(Float64Array.of(1))
  expect(Array.from(sum.values())).toEqual([3])
})

test('the order of the summands changes nothing', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 60 }),
      (values) => {
        const of = (ordered: readonly number[]) => {
          const sum = new VectorSum(1, 'float64')
          for (const value of ordered) sum.add(Float64Array.of(value))
          return sum.values()[0]!
        }
        const scale = Math.max(1, ...values.map(Math.abs))
        expect(Math.abs(of(values) - of(values.toReversed()))).toBeLessThanOrEqual(2e-16 * scale)
        expect(Math.abs(of(values) - total(values))).toBeLessThanOrEqual(2e-16 * scale)
      },
    ),
  )
})

test('a vector of another length is refused', () => {
  expect(() => new VectorSum(2, 'float32').add(Float32Array.of(1))).toThrow(RangeError)
})
