/**
 * Judges a parquet file's structures before a decoder believes them: every length against the bytes that are there, every
 * count against the rows. A decoder that trusts a forged run length would fill the memory; after this it cannot.
 */
import type { ByteSource } from '../bytes.ts'

/** Fields nest a few levels; a binary is a name or a statistic. */
const deepest = 16
const longestVarint = 10

/** Thrift's compact types. */
const stop = 0
const [yes, no, byte, i16, i32, i64, double, binary, list, , , struct] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

class Damage extends Error {}

/** Offset after the compact-protocol struct that begins at `start`. Throws `Damage`-worded BadInput through `fault`. */
export function skipStruct(view: DataView, start: number): number {
  let at = start
  const need = (bytes: number) => {
    if (bytes < 0 || at + bytes > view.byteLength) throw new Damage('is cut short')
  }
  const varint = (): number => {
    let value = 0
    for (let k = 0; ; k++) {
      if (k === longestVarint) throw new Damage('has a number without end')
      need(1)
      const part = view.getUint8(at++)
      value += (part & 0x7f) * 2 ** (7 * k)
      if (part < 0x80) return value
    }
  }
  const element = (type: number, depth: number): void => {
    switch (type) {
      case byte:
        need(1)
        at += 1
        return
      case i16:
      case i32:
      case i64:
        varint()
        return
      case double:
        need(8)
        at += 8
        return
      case binary: {
        const length = varint()
        need(length)
        at += length
        return
      }
      case list: {
        need(1)
        const head = view.getUint8(at++)
        const count = head >> 4 === 15 ? varint() : head >> 4
        // Every element takes a byte at least.
        need(count)
        const of = head & 0x0f
        for (let k = 0; k < count; k++) element(of === yes || of === no ? byte : of, depth + 1)
        return
      }
      case struct:
        fields(depth + 1)
        return
      default:
        throw new Damage('has a structure that parquet does not use')
    }
  }
  const fields = (depth: number): void => {
    if (depth > deepest) throw new Damage(`nests deeper than ${deepest} levels`)
    for (;;) {
      need(1)
      const head = view.getUint8(at++)
      const type = head & 0x0f
      if (type === stop) return
      if (head >> 4 === 0) varint()
      if (type !== yes && type !== no) element(type, depth)
    }
  }
  fields(0)
  return at
}

/** `skipStruct` in the words of a reader of files. */
export function requireStruct(source: ByteSource, view: DataView, start: number, place: number): number {
  try {
    return skipStruct(view, start)
  } catch (error) {
    if (!(error instanceof Damage)) throw error
    throw source.fault(`is a damaged parquet file: ${error.message}`, place + start)
  }
}

/**
 * Whether the hybrid of runs and packed bits from `start` on holds at most `count` numbers of `width` bits in the
 * bytes up to `end`, as far as a decoder of `count` numbers would go.
 */
export function runsFit(view: DataView, start: number, end: number, width: number, count: number): boolean {
  let at = start
  let seen = 0
  while (seen < count) {
    let head = 0
    for (let k = 0; ; k++) {
      if (k === 5 || at >= end) return false
      const part = view.getUint8(at++)
      head += (part & 0x7f) * 2 ** (7 * k)
      if (part < 0x80) break
    }
    const packed = head % 2 === 1
    const length = Math.floor(head / 2)
    const numbers = packed ? length * 8 : length
    // Packed bits come in eights, the last of which may be filled up.
    if (numbers === 0 || numbers > count - seen + (packed ? 7 : 0)) return false
    at += packed ? length * width : Math.ceil(width / 8)
    // The last packed bytes may be left out where nothing stands in them.
    if (at > end + (packed ? width : 0)) return false
    seen += numbers
  }
  return true
}
