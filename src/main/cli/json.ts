/** JSON for machines: one document, and never a number that JSON cannot hold. */

/**
 * Serialises `value`, typed arrays as lists. Throws an error that names the place of the first NaN or infinity,
 * where JSON.stringify would write null.
 */
export function toJson(value: unknown): string {
  const plain = (part: unknown): unknown => (isTypedArray(part) ? Array.from(part) : part)
  refuseNonFinite(value, '')
  return JSON.stringify(value, (_key, part: unknown) => plain(part))
}

function refuseNonFinite(value: unknown, place: string): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error(`${place || 'the result'} is ${value}, which is not a finite number`)
  } else if (Array.isArray(value) || isTypedArray(value)) {
    for (let index = 0; index < value.length; index += 1) refuseNonFinite(value[index], `${place}[${index}]`)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) refuseNonFinite(part, place === '' ? key : `${place}.${key}`)
  }
}

type TypedArray = Float32Array | Float64Array | Int32Array | Uint32Array | Int8Array | Uint8Array

function isTypedArray(value: unknown): value is TypedArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView)
}
