/** The element types of the safetensors format that are read and written here, and their sizes in bytes. */

export const itemSizes = {
  F64: 8,
  I64: 8,
  U64: 8,
  F32: 4,
  I32: 4,
  U32: 4,
  F16: 2,
  BF16: 2,
  I16: 2,
  U16: 2,
  I8: 1,
  U8: 1,
  BOOL: 1,
} as const

export type SafetensorsDtype = keyof typeof itemSizes

export function isSafetensorsDtype(value: unknown): value is SafetensorsDtype {
  return typeof value === 'string' && Object.hasOwn(itemSizes, value)
}

export type TensorArray =
  | Float64Array
  | Float32Array
  | BigInt64Array
  | BigUint64Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array

/** A typed view over bytes that start a buffer of their own; F16 and BF16 come as raw 16-bit patterns. */
export function typedView(dtype: SafetensorsDtype, bytes: Uint8Array): TensorArray {
  const { buffer, byteOffset, byteLength } = bytes
  const length = byteLength / itemSizes[dtype]
  switch (dtype) {
    case 'F64':
      return new Float64Array(buffer, byteOffset, length)
    case 'F32':
      return new Float32Array(buffer, byteOffset, length)
    case 'I64':
      return new BigInt64Array(buffer, byteOffset, length)
    case 'U64':
      return new BigUint64Array(buffer, byteOffset, length)
    case 'I32':
      return new Int32Array(buffer, byteOffset, length)
    case 'U32':
      return new Uint32Array(buffer, byteOffset, length)
    case 'I16':
      return new Int16Array(buffer, byteOffset, length)
    case 'F16':
    case 'BF16':
    case 'U16':
      return new Uint16Array(buffer, byteOffset, length)
    case 'I8':
      return new Int8Array(buffer, byteOffset, length)
    case 'U8':
    case 'BOOL':
      return new Uint8Array(buffer, byteOffset, length)
  }
}

/** The dtype that stores a typed array as it is. */
export function dtypeOf(values: TensorArray): SafetensorsDtype {
  if (values instanceof Float64Array) return 'F64'
  if (values instanceof Float32Array) return 'F32'
  if (values instanceof BigInt64Array) return 'I64'
  if (values instanceof BigUint64Array) return 'U64'
  if (values instanceof Int32Array) return 'I32'
  if (values instanceof Uint32Array) return 'U32'
  if (values instanceof Int16Array) return 'I16'
  if (values instanceof Uint16Array) return 'U16'
  if (values instanceof Int8Array) return 'I8'
  return 'U8'
}
