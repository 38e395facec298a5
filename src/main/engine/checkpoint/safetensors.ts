/** Reader of the safetensors container that trusts nothing in the file. Everything read from disk comes through it. */
import { BadInput } from '../../../shared/bad-input.ts'
import { isJsonObject, readFully, withInputFile } from './input-file.ts'
import {
  isSafetensorsDtype,
  itemSizes,
  type SafetensorsDtype,
  type TensorArray,
  typedView,
} from './safetensors-dtypes.ts'
import { parseStrictJson } from './strict-json.ts'

export type { SafetensorsDtype, TensorArray } from './safetensors-dtypes.ts'
export { type TensorToWrite, writeSafetensors } from './safetensors-write.ts'

/** The format's own limit for the header (100 MB): a model with a million tensors stays below it. */
export const HEADER_LIMIT = 100_000_000
/** `{}`: the shortest header there can be. */
const HEADER_MINIMUM = 2
/** The header's length is a 64-bit little-endian integer at the start. */
const LENGTH_BYTES = 8
/** Real tensors have at most 5 dimensions; more is a damaged header. */
const MAX_RANK = 16

export interface TensorEntry {
  readonly dtype: SafetensorsDtype
  readonly shape: readonly number[]
  /** Byte range of the tensor, counted from the start of the data section. */
  readonly begin: number
  readonly end: number
}

export interface SafetensorsHeader {
  readonly path: string
  readonly metadata: Readonly<Record<string, string>>
  /** In the order of the header's JSON. */
  readonly tensors: ReadonlyMap<string, TensorEntry>
  /** Byte offset of the data section in the file. */
  readonly dataOffset: number
  readonly fileSize: number
  /** The header's JSON text as it stands, padding included. */
  readonly text: string
}

/**
 * Reads and checks a whole header: lengths, UTF-8, JSON without repeated keys, dtypes, shapes against byte ranges, and
 * that the ranges cover the data section exactly, without gap or overlap. Never allocates more than the file holds.
 * @throws BadInput with the tensor's name or the byte offset
 */
export function readSafetensorsHeader(path: string): SafetensorsHeader {
  const { bytes, fileSize } = withInputFile(path, (fd, size) => {
    if (size === 0) throw new BadInput(path, 'the file is empty')
    if (size < LENGTH_BYTES + HEADER_MINIMUM) {
      throw new BadInput(path, `is not a safetensors file: only ${size} bytes long`, 'byte 0')
    }
    const lengthBytes = new Uint8Array(LENGTH_BYTES)
    readFully(path, fd, lengthBytes, 0)
    const length = new DataView(lengthBytes.buffer).getBigUint64(0, true)
    if (length < HEADER_MINIMUM || length > HEADER_LIMIT) {
      throw new BadInput(path, `is not a safetensors file: header length ${length} is impossible`, 'byte 0')
    }
    if (length > size - LENGTH_BYTES) {
      throw new BadInput(path, `the file ends inside its header: ${length} bytes announced, file has ${size}`, 'byte 0')
    }
    const header = new Uint8Array(Number(length))
    readFully(path, fd, header, LENGTH_BYTES)
    return { bytes: header, fileSize: size }
  })
  const text = decodeHeader(path, bytes)
  const json = parseStrictJson(text, path)
  if (!isJsonObject(json)) throw new BadInput(path, 'the header is not a JSON object', `byte ${LENGTH_BYTES}`)

  const dataOffset = LENGTH_BYTES + bytes.byteLength
  const dataLength = fileSize - dataOffset
  const tensors = new Map<string, TensorEntry>()
  for (const [name, value] of Object.entries(json)) {
    if (name !== '__metadata__') tensors.set(name, parseEntry(path, name, value, dataLength))
  }
  checkCoverage(path, tensors, dataOffset, dataLength)
  return { path, metadata: parseMetadata(path, json.__metadata__), tensors, dataOffset, fileSize, text }
}

/** One tensor's bytes, in a buffer of their own. Throws BadInput when the file lacks the tensor or has shrunk. */
export function readTensorBytes(header: SafetensorsHeader, name: string): Uint8Array<ArrayBuffer> {
  const entry = entryOf(header, name)
  return withInputFile(header.path, (fd, size) => {
    if (size !== header.fileSize) throw new BadInput(header.path, 'the file changed while it was being read')
    const bytes = new Uint8Array(entry.end - entry.begin)
    readFully(header.path, fd, bytes, header.dataOffset + entry.begin)
    return bytes
  })
}

/** One tensor as a typed array of its own dtype; F16 and BF16 as raw 16-bit patterns (see `float-widening.ts`). */
export function readTensor(header: SafetensorsHeader, name: string): TensorArray {
  return typedView(entryOf(header, name).dtype, readTensorBytes(header, name))
}

function entryOf(header: SafetensorsHeader, name: string): TensorEntry {
  const entry = header.tensors.get(name)
  if (entry === undefined) throw new BadInput(header.path, 'the tensor is missing', `tensor ${name}`)
  return entry
}

function decodeHeader(path: string, bytes: Uint8Array): string {
  if (bytes[0] !== 0x7b) throw new BadInput(path, 'the header does not begin with {', `byte ${LENGTH_BYTES}`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new BadInput(path, 'the header is not valid UTF-8', `byte ${LENGTH_BYTES}`)
  }
}

function parseMetadata(path: string, value: unknown): Record<string, string> {
  if (value === undefined) return {}
  if (!isJsonObject(value)) throw new BadInput(path, '__metadata__ must be an object of strings')
  const metadata: [string, string][] = []
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string') throw new BadInput(path, `__metadata__ key ${JSON.stringify(key)} is not a string`)
    metadata.push([key, text])
  }
  return Object.fromEntries(metadata)
}

function parseEntry(path: string, name: string, value: unknown, dataLength: number): TensorEntry {
  const refuse = (problem: string): never => {
    throw new BadInput(path, problem, `tensor ${name}`)
  }
  if (!isJsonObject(value)) return refuse('its header entry is not an object')
  const { dtype, shape, data_offsets: offsets } = value
  if (!isSafetensorsDtype(dtype)) return refuse(`unknown dtype ${JSON.stringify(dtype)}`)
  const unknownKey = Object.keys(value).find((key) => key !== 'dtype' && key !== 'shape' && key !== 'data_offsets')
  if (unknownKey !== undefined) return refuse(`unknown key ${JSON.stringify(unknownKey)} in its header entry`)
  if (!isSizeList(shape) || shape.length > MAX_RANK) return refuse('its shape is not a list of sizes')
  if (!isSizeList(offsets) || offsets.length !== 2) return refuse('data_offsets must be two byte positions')
  const [begin = 0, end = 0] = offsets
  if (begin > end) return refuse(`data_offsets run backwards (${begin} to ${end})`)
  if (end > dataLength) return refuse(`its bytes end at ${end}, but the file holds only ${dataLength} bytes of data`)
  let bytes = itemSizes[dtype] as number
  // A zero anywhere makes the product zero, so that huge sizes beside it cannot overflow.
  for (const size of shape.includes(0) ? [0] : shape) {
    bytes *= size
    if (!Number.isSafeInteger(bytes)) return refuse('its shape is too large')
  }
  if (bytes !== end - begin) {
    return refuse(`shape [${shape.join(', ')}] of ${dtype} needs ${bytes} bytes, data_offsets give ${end - begin}`)
  }
  return { dtype, shape, begin, end }
}

function isSizeList(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size: unknown) => Number.isSafeInteger(size) && (size as number) >= 0)
}

function checkCoverage(
  path: string,
  tensors: ReadonlyMap<string, TensorEntry>,
  dataOffset: number,
  dataLength: number,
): void {
  const ordered = [...tensors].sort(([, a], [, b]) => a.begin - b.begin || a.end - b.end)
  let covered = 0
  for (const [name, { begin, end }] of ordered) {
    if (begin < covered) {
      throw new BadInput(path, 'its bytes overlap another tensor', `tensor ${name}, byte ${dataOffset + begin}`)
    }
    if (begin > covered) {
      throw new BadInput(path, `${begin - covered} bytes before it belong to no tensor`, `tensor ${name}`)
    }
    covered = end
  }
  if (covered < dataLength) {
    throw new BadInput(
      path,
      `${dataLength - covered} bytes at the end belong to no tensor`,
      `byte ${dataOffset + covered}`,
    )
  }
}
