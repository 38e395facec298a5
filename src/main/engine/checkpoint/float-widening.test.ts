import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { narrowBf16, widen, widenBf16, widenF16 } from './float-widening.ts'

const patterns = Uint16Array.from({ length: 65536 }, (_, i) => i)

/** The definition of binary16, value by value. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15))
}

describe('widening', () => {
  it('is exact for every half-precision pattern, signed zeros included', () => {
    const values = widenF16(patterns)
    for (const bits of patterns) expect(Object.is(values[bits], half(bits)), bits.toString(16)).toBe(true)
  })

  it('is the upper half of the word for every bfloat16 pattern', () => {
    const words = new Uint32Array(widenBf16(patterns).buffer)
    for (const bits of patterns) expect(words[bits]).toBe(bits * 65536)
  })

  it('takes bytes', () => {
    expect([...widen('BF16', new Uint8Array([0xc0, 0x3f, 0, 0x80]))]).toEqual([1.5, -0])
    expect([...widen('F16', new Uint8Array([0x00, 0x3e]))]).toEqual([1.5])
    expect([...widen('F32', new Uint8Array([0, 0, 0xc0, 0x3f]))]).toEqual([1.5])
  })
})

describe('rounding to bfloat16', () => {
  it('keeps every bfloat16 value as it is', () => {
    const back = narrowBf16(widenBf16(patterns))
    for (const bits of patterns) {
      // Infinity and NaN are in the next test.
      if ((bits & 0x7f80) === 0x7f80) continue
      expect(back[bits]).toBe(bits)
    }
  })

  it('takes the nearest value, the even one in the middle, infinity beyond the range, and keeps NaN', () => {
    const cases: [number, number][] = [
      [0x3f808000, 0x3f80],
      [0x3f818000, 0x3f82],
      [0x3f808001, 0x3f81],
      [0x3f807fff, 0x3f80],
      [0x7f7fffff, 0x7f80],
      [0xff7fffff, 0xff80],
      [0x7f800000, 0x7f80],
      [0x7f800001, 0x7fc0],
    ]
    const words = Uint32Array.from(cases, ([word]) => word)
    expect([...narrowBf16(new Float32Array(words.buffer))]).toEqual(cases.map(([, rounded]) => rounded))
  })

  it('is never further away than a neighbour', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, min: 2 ** -149, max: Math.fround(1e30) }), (value) => {
        const [bits] = narrowBf16(new Float32Array([value]))
        const [rounded, up, down] = widenBf16(new Uint16Array([bits!, bits! + 1, Math.max(bits!, 1) - 1]))
        const error = Math.abs(rounded! - value)
        return error <= Math.abs(up! - value) && error <= Math.abs(down! - value)
      }),
    )
  })
})
