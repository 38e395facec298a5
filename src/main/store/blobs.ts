/** Per-token arrays as compact BLOBs: little-endian float64 (exactly the journal's numbers) and uint32 token ids. */
import { endianness } from 'node:os'

const littleEndian = endianness() === 'LE'

/** Throws naming the field and index of the first non-finite value. */
export function encodeFloats(values: readonly number[], field: string): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 8)
  values.forEach((value, index) => {
    if (!Number.isFinite(value)) throw new Error(`${field}[${index}] is ${value}, which is not a finite number`)
    bytes.writeDoubleLE(value, index * 8)
  })
  return bytes
}

export function decodeFloats(bytes: Uint8Array): number[] {
  if (bytes.length % 8 !== 0) throw new Error(`a stored float array has ${bytes.length} bytes, not a multiple of 8`)
  // A copy, because a BLOB's buffer need not be aligned to eight bytes.
  if (littleEndian) return Array.from(new Float64Array(Uint8Array.from(bytes).buffer))
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.length / 8 }, (_, index) => view.getFloat64(index * 8, true))
}

/** Throws when an id is not an unsigned 32-bit integer. */
export function encodeIds(ids: readonly number[], field: string): Buffer {
  const bytes = Buffer.allocUnsafe(ids.length * 4)
  ids.forEach((id, index) => {
    if (!Number.isInteger(id) || id < 0 || id > 0xffffffff)
      throw new Error(`${field}[${index}] is ${id}, not a token id`)
    bytes.writeUInt32LE(id, index * 4)
  })
  return bytes
}

export function decodeIds(bytes: Uint8Array): number[] {
  if (bytes.length % 4 !== 0) throw new Error(`a stored id array has ${bytes.length} bytes, not a multiple of 4`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.length / 4 }, (_, index) => view.getUint32(index * 4, true))
}
