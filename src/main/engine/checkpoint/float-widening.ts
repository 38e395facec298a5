/** Exact widening of 16-bit floats to float32, and the one rounding (float32 to bfloat16) used for export. */
import type { StoredDtype } from './base-model.ts'

/** bfloat16 is the upper half of a float32, so widening is a shift. */
export function widenBf16(values: Uint16Array, target: Float32Array = new Float32Array(values.length)): Float32Array {
  const bits = new Uint32Array(target.buffer, target.byteOffset, values.length)
  for (let i = 0; i < values.length; i++) bits[i] = values[i]! << 16
  return target
}

let halfTable: Float32Array | undefined

/** IEEE binary16; every value has an exact float32. NaN keeps its payload bits. */
export function widenF16(values: Uint16Array, target: Float32Array = new Float32Array(values.length)): Float32Array {
  halfTable ??= buildHalfTable()
  const table = new Uint32Array(halfTable.buffer)
  const bits = new Uint32Array(target.buffer, target.byteOffset, values.length)
  for (let i = 0; i < values.length; i++) bits[i] = table[values[i]!]!
  return target
}

function buildHalfTable(): Float32Array {
  const values = new Float32Array(65536)
  const bits = new Uint32Array(values.buffer)
  for (let half = 0; half < 65536; half++) {
    const sign = (half & 0x8000) << 16
    const exponent = (half >> 10) & 0x1f
    const fraction = half & 0x3ff
    if (exponent === 0) {
      values[half] = (sign === 0 ? 1 : -1) * fraction * 2 ** -24
    } else {
      const wide = exponent === 0x1f ? 0xff : exponent + (127 - 15)
      bits[half] = sign | (wide << 23) | (fraction << 13)
    }
  }
  return values
}

/** Little-endian bytes of `dtype`, at an even address, as float32. */
export function widen(dtype: StoredDtype, bytes: Uint8Array): Float32Array {
  if (dtype === 'F32') return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
  const halves = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2)
  return dtype === 'BF16' ? widenBf16(halves) : widenF16(halves)
}

/** Rounds to nearest, ties to even, as torch does. NaN stays NaN. */
export function narrowBf16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length)
  const result = new Uint16Array(values.length)
  for (let i = 0; i < bits.length; i++) {
    const word = bits[i]!
    result[i] = (word & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : (word + 0x7fff + ((word >>> 16) & 1)) >>> 16
  }
  return result
}
