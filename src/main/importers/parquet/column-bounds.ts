/** Judges one column chunk page by page before it is decoded. Flat columns in the encodings that pandas and pyarrow write. */

import { parquetHeader } from 'hyparquet/src/column.js'
import { decompressPage } from 'hyparquet/src/datapage.js'
import type { ByteSource } from '../bytes.ts'
import { compressors, type PageCodec } from './decompress.ts'
import { requireStruct, runsFit } from './page-bounds.ts'

export interface ColumnChunk {
  readonly name: string
  /** Of the chunk in the file. */
  readonly start: number
  readonly length: number
  readonly codec: PageCodec
  readonly boolean: boolean
  /** Whether values may be missing; then each page begins with runs that say which. */
  readonly optional: boolean
}

/** Pages are a megabyte or so, and a step's completions some hundred megabytes at most. */
const largestPage = 64 << 20
const largestColumn = 512 << 20

const dictionaryEncodings = new Set(['PLAIN_DICTIONARY', 'RLE_DICTIONARY'])

/** Throws `BadInput` for the first page that does not hold; returns the bytes that the chunk unpacks to. */
export function requireSoundColumn(source: ByteSource, chunk: ColumnChunk, rows: number): number {
  const { name, start, length } = chunk
  if (length > largestColumn)
    throw source.fault(`column ${JSON.stringify(name.slice(0, 60))} announces ${length} bytes, which is refused`, start)
  const bytes = source.read(start, length)
  const view = new DataView(bytes.buffer)
  const reader = { view, offset: 0 }
  let [seen, unpacked] = [0, 0]
  while (seen < rows && reader.offset < view.byteLength - 1) {
    const place = reader.offset
    const fault = (problem: string) =>
      source.fault(`column ${JSON.stringify(name.slice(0, 60))} ${problem}`, start + place)
    requireStruct(source, view, place, start)
    const header = parquetHeader(reader)
    const { compressed_page_size: packed, uncompressed_page_size: size } = header
    if (!isCount(packed) || !isCount(size) || packed > view.byteLength - reader.offset)
      throw fault(`announces a page of ${packed} bytes, ${view.byteLength - reader.offset} are left`)
    unpacked += size
    if (size > largestPage || unpacked > largestColumn)
      throw fault(`unpacks to ${unpacked} bytes or more, which is refused`)
    const page = bytes.subarray(reader.offset, reader.offset + packed)
    reader.offset += packed
    if (header.type === 'DICTIONARY_PAGE') {
      const count = header.dictionary_page_header?.num_values
      if (!isCount(count) || count > size) throw fault(`announces ${count} values in ${size} bytes`)
    } else if (header.type === 'DATA_PAGE') {
      const { num_values: count, encoding } = header.data_page_header ?? {}
      if (!isCount(count) || count > rows - seen) throw fault(`announces ${count} values for ${rows - seen} rows`)
      requireSoundValues(unpack(page, size, chunk.codec, fault), chunk, String(encoding), count, fault)
      seen += count
    } else
      throw fault(`has a page of kind ${header.type ?? 'unknown'}; pages of version 1 are read, as pandas writes them`)
  }
  if (seen !== rows)
    throw source.fault(`column ${JSON.stringify(name.slice(0, 60))} has ${seen} of ${rows} values`, start)
  return unpacked
}

type Fault = (problem: string) => Error

function requireSoundValues(page: Uint8Array, chunk: ColumnChunk, encoding: string, count: number, fault: Fault): void {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength)
  let at = 0
  if (chunk.optional) {
    const length = view.byteLength < 4 ? -1 : view.getUint32(0, true)
    if (length < 0 || length > view.byteLength - 4 || !runsFit(view, 4, 4 + length, 1, count))
      throw fault('has a damaged list of missing values')
    at = 4 + length
  }
  if (encoding === 'PLAIN') return
  if (encoding === 'RLE' && chunk.boolean) {
    const length = view.byteLength < at + 4 ? -1 : view.getUint32(at, true)
    if (length < 0 || length > view.byteLength - at - 4 || !runsFit(view, at + 4, at + 4 + length, 1, count))
      throw fault('has damaged true and false values')
    return
  }
  if (!dictionaryEncodings.has(encoding))
    throw fault(`is encoded as ${encoding}; plain and dictionary columns are read, as pandas writes them`)
  if (at >= view.byteLength) {
    if (count > 0 && !chunk.optional) throw fault('has a page without values')
    return
  }
  const width = view.getUint8(at)
  if (width > 24 || !runsFit(view, at + 1, view.byteLength, width, valuesPresent(page, chunk, count)))
    throw fault('has damaged references to its dictionary')
}

/** How many values of the page are not missing. The runs have been judged. */
function valuesPresent(page: Uint8Array, { optional }: ColumnChunk, count: number): number {
  if (!optional) return count
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength)
  let [at, seen, present] = [4, 0, 0]
  while (seen < count) {
    let [head, shift] = [0, 0]
    for (let part = 0x80; part >= 0x80; shift++) {
      part = view.getUint8(at++)
      head += (part & 0x7f) * 2 ** (7 * shift)
    }
    const length = Math.floor(head / 2)
    if (head % 2 === 0) {
      if (view.getUint8(at++) !== 0) present += length
      seen += length
      continue
    }
    for (let k = 0; k < length * 8 && seen < count; k++, seen++) {
      const place = at + (k >> 3)
      if (place < view.byteLength && ((view.getUint8(place) >> (k & 7)) & 1) === 1) present++
    }
    at += length
  }
  return present
}

function unpack(page: Uint8Array, size: number, codec: PageCodec, fault: Fault): Uint8Array {
  try {
    return decompressPage(page, size, codec, compressors)
  } catch {
    throw fault('has a page that cannot be unpacked')
  }
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
