/** The first number of a value that JSON cannot hold: `JSON.stringify` would write null in its place and say nothing. */

export interface NonFinite {
  /** As `turns[0].values[3]`; empty where the value itself is the number. */
  readonly place: string
  readonly value: number
}

/** Of plain data and typed arrays; undefined where every number is finite. */
export function firstNonFinite(value: unknown, place = ''): NonFinite | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : { place, value }
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value) || isTypedArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const part: unknown = value[index]
      // Most parts are finite numbers, and a place for each would cost more than looking at them.
      if (typeof part === 'number' && Number.isFinite(part)) continue
      const found = firstNonFinite(part, `${place}[${index}]`)
      if (found !== undefined) return found
    }
    return undefined
  }
  for (const [key, part] of Object.entries(value)) {
    const found = firstNonFinite(part, place === '' ? key : `${place}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

type TypedArray = Float32Array | Float64Array | Int32Array | Uint32Array | Int8Array | Uint8Array

export function isTypedArray(value: unknown): value is TypedArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView)
}
