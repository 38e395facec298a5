/** Numbers of a dump, row by row as they are asked for: the batch as a whole is never in memory. */
import { widen } from '../../engine/checkpoint/float-widening.ts'
import type { ByteSource } from '../bytes.ts'

export const elementBytes = {
  float64: 8,
  float32: 4,
  float16: 2,
  bfloat16: 2,
  int64: 8,
  int32: 4,
  int16: 2,
  int8: 1,
  uint8: 1,
  bool: 1,
} as const
export type ElementType = keyof typeof elementBytes

/** In C order. */
export interface Tensor {
  readonly element: ElementType
  readonly shape: readonly number[]
  readonly bytes: ByteSource
}

/** What stands at index `row` of the first dimension, flat. */
export function rowOf({ element, shape, bytes }: Tensor, row: number): number[] {
  const [, ...rest] = shape
  const count = rest.reduce((product, length) => product * length, 1)
  const width = count * elementBytes[element]
  return decode(element, bytes.read(row * width, width))
}

function decode(element: ElementType, raw: Uint8Array): number[] {
  if (element === 'float16') return [...widen('F16', raw)]
  if (element === 'bfloat16') return [...widen('BF16', raw)]
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength)
  const width = elementBytes[element]
  const read = readers[element]
  return Array.from({ length: raw.byteLength / width }, (_, k) => read(view, k * width))
}

const readers: Readonly<Record<Exclude<ElementType, 'float16' | 'bfloat16'>, (view: DataView, at: number) => number>> =
  {
    float64: (view, at) => view.getFloat64(at, true),
    float32: (view, at) => view.getFloat32(at, true),
    // Exact up to 2^53; a token id beyond it is refused where ids are checked.
    int64: (view, at) => view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true),
    int32: (view, at) => view.getInt32(at, true),
    int16: (view, at) => view.getInt16(at, true),
    int8: (view, at) => view.getInt8(at),
    uint8: (view, at) => view.getUint8(at),
    bool: (view, at) => view.getUint8(at),
  }
