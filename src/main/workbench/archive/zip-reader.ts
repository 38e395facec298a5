/**
 * Reads a zip file that may come from anywhere: its directory first, every name and size judged before a byte is
 * unpacked, and no more unpacked than was declared.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { Inflate } from 'fflate'
import { BadInput } from '../../../shared/bad-input.ts'

export interface ZipEntry {
  readonly name: string
  readonly bytes: number
  readonly compressedBytes: number
  readonly method: 0 | 8
  readonly headerOffset: number
}

const mostEntries = 100_000
/** Deflate cannot do better; a declared ratio above it is a lie. */
const bestRatio = 1040
const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const headerSignature = 0x04034b50

export class ZipFile {
  readonly #path: string
  readonly #descriptor: number
  readonly #size: number
  readonly entries: ReadonlyMap<string, ZipEntry>

  /**
   * @param mostBytes refuse archives that declare more content than this
   * @throws BadInput for anything that is not a plain, safe zip file
   */
  constructor(path: string, mostBytes: number) {
    this.#path = path
    this.#descriptor = openFile(path)
    try {
      this.#size = fstatSync(this.#descriptor).size
      this.entries = this.#directory(mostBytes)
    } catch (error) {
      this.close()
      throw error
    }
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  /** Unpacks one entry piece by piece. Throws `BadInput` when it is not exactly as long as declared. */
  unpack(entry: ZipEntry, take: (piece: Uint8Array) => void): void {
    const start = this.#dataStart(entry)
    let taken = 0
    const count = (piece: Uint8Array) => {
      taken += piece.length
      if (taken > entry.bytes) throw this.#fault('unpacks to more than it declares', entry.name)
      if (piece.length > 0) take(piece)
    }
    const inflate = entry.method === 8 ? new Inflate(count) : null
    const step = 1 << 16
    try {
      for (let at = 0; at < entry.compressedBytes; at += step) {
        const length = Math.min(step, entry.compressedBytes - at)
        const piece = new Uint8Array(this.#read(start + at, length))
        if (inflate === null) count(piece)
        else inflate.push(piece, at + length === entry.compressedBytes)
      }
    } catch (error) {
      if (error instanceof BadInput || (error as NodeJS.ErrnoException).syscall !== undefined) throw error
      throw this.#fault('cannot be unpacked', entry.name)
    }
    if (taken !== entry.bytes) throw this.#fault('unpacks to less than it declares', entry.name)
  }

  /** A whole entry in memory; for the small ones. Throws `BadInput` when it is missing or larger than `most`. */
  bytes(name: string, most: number): Buffer {
    const entry = this.entries.get(name)
    if (entry === undefined) throw this.#fault('is missing from the archive', name)
    if (entry.bytes > most) throw this.#fault(`has ${entry.bytes} bytes, more than is allowed`, name)
    const pieces: Uint8Array[] = []
    this.unpack(entry, (piece) => pieces.push(Uint8Array.from(piece)))
    return Buffer.concat(pieces)
  }

  #fault(problem: string, where?: string): BadInput {
    return new BadInput(this.#path, problem, where)
  }

  #read(at: number, length: number): Buffer {
    if (at < 0 || at + length > this.#size) throw this.#fault('is cut off or not a zip file')
    const bytes = Buffer.alloc(length)
    for (let done = 0; done < length; ) {
      const read = readSync(this.#descriptor, bytes, done, length - done, at + done)
      if (read === 0) throw this.#fault('is cut off')
      done += read
    }
    return bytes
  }

  #directory(mostBytes: number): Map<string, ZipEntry> {
    const { count, offset, length } = this.#end()
    const bytes = this.#read(offset, length)
    const entries = new Map<string, ZipEntry>()
    const seen = new Set<string>()
    let at = 0
    for (let index = 0; index < count; index++) {
      if (at + 46 > length || bytes.readUInt32LE(at) !== entrySignature) throw this.#fault('has a damaged directory')
      const [nameLength, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field)) as [
        number,
        number,
        number,
      ]
      const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
      const entry = this.#entry(bytes, at, name)
      // Some file systems hold `A` and `a` for one name.
      const folded = name.toLowerCase()
      if (seen.has(folded)) throw this.#fault('holds the same name twice', name)
      seen.add(folded)
      entries.set(name, entry)
      at += 46 + nameLength + extra + comment
    }
    this.#judgeSizes([...entries.values()], mostBytes, offset)
    return entries
  }

  /** The record at the very end that says where the directory is; a comment may follow it. */
  #end(): { count: number; offset: number; length: number } {
    const reach = Math.min(this.#size, 22 + 0xffff)
    if (reach < 22) throw this.#fault('is not a zip file')
    const tail = this.#read(this.#size - reach, reach)
    for (let at = reach - 22; at >= 0; at--) {
      if (tail.readUInt32LE(at) !== endSignature || at + 22 + tail.readUInt16LE(at + 20) !== reach) continue
      const [count, length, offset] = [
        tail.readUInt16LE(at + 10),
        tail.readUInt32LE(at + 12),
        tail.readUInt32LE(at + 16),
      ]
      if (count === 0xffff || length === 0xffffffff || offset === 0xffffffff)
        throw this.#fault('is a zip64 file, which no study export is')
      if (tail.readUInt16LE(at + 4) !== 0 || tail.readUInt16LE(at + 8) !== count)
        throw this.#fault('is one part of several')
      if (count > mostEntries) throw this.#fault(`holds ${count} files, more than ${mostEntries}`)
      return { count, offset, length }
    }
    throw this.#fault('is not a zip file')
  }

  #entry(bytes: Buffer, at: number, name: string): ZipEntry {
    const unsafe = unsafeName(name)
    if (unsafe !== null) throw this.#fault(`holds a name that ${unsafe}`, JSON.stringify(name))
    const flags = bytes.readUInt16LE(at + 8)
    if ((flags & 1) !== 0) throw this.#fault('holds an encrypted file', name)
    const method = bytes.readUInt16LE(at + 10)
    if (method !== 0 && method !== 8) throw this.#fault(`holds a file packed by method ${method}`, name)
    const mode = bytes.readUInt32LE(at + 38) >>> 16
    const type = mode & 0xf000
    if (type !== 0 && type !== 0x8000) throw this.#fault('holds something that is not a plain file', name)
    const [compressedBytes, size] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)]
    return { name, bytes: size, compressedBytes, method, headerOffset: bytes.readUInt32LE(at + 42) }
  }

  #judgeSizes(entries: readonly ZipEntry[], mostBytes: number, directoryOffset: number): void {
    const total = entries.reduce((sum, { bytes }) => sum + bytes, 0)
    if (total > mostBytes) throw this.#fault(`unpacks to ${total} bytes, and only ${mostBytes} are allowed here`)
    let end = 0
    for (const entry of [...entries].sort((a, b) => a.headerOffset - b.headerOffset)) {
      if (entry.bytes > entry.compressedBytes * bestRatio + 64)
        throw this.#fault('declares an impossible size', entry.name)
      // Entries that share bytes are how a small file claims to be a huge one.
      if (entry.headerOffset < end) throw this.#fault('holds files that overlap', entry.name)
      end = this.#dataStart(entry) + entry.compressedBytes
      if (end > directoryOffset) throw this.#fault('holds a file that runs into the directory', entry.name)
    }
  }

  #dataStart({ headerOffset, name }: ZipEntry): number {
    const header = this.#read(headerOffset, 30)
    if (header.readUInt32LE(0) !== headerSignature) throw this.#fault('has a damaged file header', name)
    const nameLength = header.readUInt16LE(26)
    if (this.#read(headerOffset + 30, nameLength).toString('utf8') !== name) {
      throw this.#fault('names a file differently in two places', name)
    }
    return headerOffset + 30 + nameLength + header.readUInt16LE(28)
  }
}

function openFile(path: string): number {
  try {
    const descriptor = openSync(path, 'r')
    if (fstatSync(descriptor).isFile()) return descriptor
    closeSync(descriptor)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new BadInput(path, code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? String(error)})`)
  }
  throw new BadInput(path, 'is not a file')
}

/** What is wrong with a name that would leave the folder, or mean something else elsewhere; null when nothing is. */
export function unsafeName(name: string): string | null {
  if (name === '' || name.length > 300) return 'is empty or too long'
  if (name.startsWith('/') || /^[a-z]:/i.test(name)) return 'is an absolute path'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u001f\\:*?"<>|\ufffd]/.test(name)) return 'has a forbidden character'
  if (name.split('/').some((part) => part === '..' || part === '.' || part === '')) return 'leaves its folder'
  if (name.split('/').some((part) => /[. ]$/.test(part))) return 'ends in a dot or a space'
  return null
}
