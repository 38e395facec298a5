/** Small numbers one after another out of a byte source, through a window; a read past the end is refused. */
import type { ByteSource } from '../bytes.ts'

const windowBytes = 1 << 16
/** A name on a line of its own is shorter than this. */
const longestLine = 256

export class ByteCursor {
  readonly #source: ByteSource
  offset = 0
  #start = 0
  #window = new Uint8Array(0)
  #view = new DataView(this.#window.buffer)

  constructor(source: ByteSource) {
    this.#source = source
  }

  get left(): number {
    return this.#source.length - this.offset
  }

  u8(): number {
    const at = this.#next(1)
    return this.#view.getUint8(at)
  }

  u16(): number {
    const at = this.#next(2)
    return this.#view.getUint16(at, true)
  }

  u32(): number {
    const at = this.#next(4)
    return this.#view.getUint32(at, true)
  }

  i32(): number {
    const at = this.#next(4)
    return this.#view.getInt32(at, true)
  }

  /** Lengths only: beyond 2^53 it is no longer exact, and far longer than any file. */
  u64(): number {
    const at = this.#next(8)
    return Number(this.#view.getBigUint64(at, true))
  }

  f64BigEndian(): number {
    const at = this.#next(8)
    return this.#view.getFloat64(at, false)
  }

  /** Two's complement, least byte first; a bigint where a number would not be exact. */
  integer(bytes: number): number | bigint {
    const magnitude = this.take(bytes).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
    const value = BigInt.asIntN(8 * bytes, magnitude)
    return Number.isSafeInteger(Number(value)) ? Number(value) : value
  }

  take(bytes: number): Uint8Array {
    const taken = this.#source.read(this.offset, bytes)
    this.offset += bytes
    return taken
  }

  skip(bytes: number): void {
    this.offset += bytes
  }

  /** Up to a line feed, which is passed over. */
  line(): string {
    const start = this.offset
    const characters: number[] = []
    for (let byte = this.u8(); byte !== 0x0a; byte = this.u8()) {
      if (characters.push(byte) > longestLine) throw this.#source.fault('holds a name without end', start)
    }
    return Buffer.from(characters).toString('latin1')
  }

  /** Where the next `bytes` stand in the window, which is moved when they are not in it. */
  #next(bytes: number): number {
    const at = this.offset - this.#start
    this.offset += bytes
    if (at >= 0 && at + bytes <= this.#window.length) return at
    const begin = this.offset - bytes
    this.#window = this.#source.read(begin, Math.max(bytes, Math.min(windowBytes, this.#source.length - begin)))
    this.#view = new DataView(this.#window.buffer)
    this.#start = begin
    return 0
  }
}
