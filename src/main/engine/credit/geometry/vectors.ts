/**
 * Sums over parameter-sized vectors that are exact enough to audit with: pairwise inner products and a compensated sum of
 * vectors. At 1e-15 a plain running sum would be the error that is measured. Knows no gradient.
 */
import type { Numbers } from '../../nn/model.ts'

/** Below this many terms a plain sum is as good. */
const BLOCK = 64

/** ⟨a, b⟩ in float64, summed pairwise: the rounding error grows with the logarithm of the length. */
export function dot(a: Numbers, b: Numbers, start = 0, end = a.length): number {
  if (end - start <= BLOCK) {
    let sum = 0
    for (let i = start; i < end; i++) sum += a[i]! * b[i]!
    return sum
  }
  const middle = start + ((end - start) >> 1)
  return dot(a, b, start, middle) + dot(a, b, middle, end)
}

export const norm = (a: Numbers): number => Math.sqrt(dot(a, a))

/** Σ of a short list, compensated. */
export function total(values: readonly number[]): number {
  let [sum, carry] = [0, 0]
  for (const value of values) {
    const next = sum + value
    carry += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum
    sum = next
  }
  return sum + carry
}

/**
 * A running sum of vectors in float64. Summands of float32 need no more than that; summands of float64 carry along what
 * each addition rounds away (Neumaier's summation), in one more vector.
 */
export class VectorSum {
  private readonly sum: Float64Array
  private readonly carry: Float64Array | null

  constructor(length: number, summands: 'float32' | 'float64') {
    this.sum = new Float64Array(length)
    this.carry = summands === 'float64' ? new Float64Array(length) : null
  }

  add(values: Numbers): void {
    const { sum, carry } = this
    if (values.length !== sum.length) throw new RangeError(`a sum of ${sum.length} numbers got ${values.length}`)
    if (carry === null) {
      for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + values[i]!
      return
    }
    for (let i = 0; i < sum.length; i++) {
      const [before, value] = [sum[i]!, values[i]!]
      const next = before + value
      carry[i] = carry[i]! + (Math.abs(before) >= Math.abs(value) ? before - next + value : value - next + before)
      sum[i] = next
    }
  }

  /** ‖Σ − other‖. */
  distanceTo(other: Numbers): number {
    return Math.sqrt(this.squares((i) => other[i]!))
  }

  norm(): number {
    return Math.sqrt(this.squares(() => 0))
  }

  /** The sum itself, in memory that later additions write to. */
  values(): Float64Array {
    const { sum, carry } = this
    if (carry === null) return sum
    for (let i = 0; i < sum.length; i++) {
      sum[i] = sum[i]! + carry[i]!
      carry[i] = 0
    }
    return sum
  }

  private squares(other: (i: number) => number): number {
    const { sum, carry } = this
    let squares = 0
    for (let i = 0; i < sum.length; i++) squares += (sum[i]! - other(i) + (carry?.[i] ?? 0)) ** 2
    return squares
  }
}
