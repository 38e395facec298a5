/**
 * Reads JSONL files as streams of objects. Every fault is a BadInput that names the file and the line; blank lines and
 * a leading byte order mark carry no data and are passed over.
 */
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { BadInput } from '../../shared/bad-input.ts'
import { errorCode, fileProblem } from '../engine/checkpoint/input-file.ts'
import { findRepeatedKey } from '../engine/checkpoint/strict-json.ts'

export interface JsonlLine {
  /** One-based, counting blank lines, as editors do. */
  readonly line: number
  readonly value: Readonly<Record<string, unknown>>
}

/** A line longer than this is a wrong file, not a row. */
export const longestLine = 64 * 1024 * 1024

const newline = 0x0a
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Yields the objects of `file` in order. Throws BadInput for a file that cannot be read, is not UTF-8, has a line that
 * is not a JSON object, repeats a key or is longer than `limit` bytes, or holds no object at all.
 */
export async function* readJsonl(file: string, limit = longestLine): AsyncGenerator<JsonlLine> {
  let rows = 0
  for await (const line of readEachLine(file, limit)) {
    if ('fault' in line) throw line.fault
    rows += 1
    yield line
  }
  if (rows === 0) throw new BadInput(file, 'holds no rows')
}

export interface FaultyLine {
  readonly line: number
  readonly fault: BadInput
}

/** As `readJsonl`, but goes on after a line that is not a JSON object, and finds no fault with an empty file. */
export async function* readEachLine(file: string, limit = longestLine): AsyncGenerator<JsonlLine | FaultyLine> {
  for await (const { line, offset, bytes } of readLines(file, limit)) {
    let text: string
    let value: JsonlLine['value']
    try {
      text = decodeUtf8(file, line, offset, bytes)
      if (text.trim() === '') continue
      value = parseObject(file, line, text)
    } catch (error) {
      if (!(error instanceof BadInput)) throw error
      yield { line, fault: error }
      continue
    }
    yield { line, value }
  }
}

interface RawLine {
  readonly line: number
  /** Byte offset of the line in the file. */
  readonly offset: number
  readonly bytes: Buffer
}

/** Splits on the newline byte, which UTF-8 uses for nothing else; decoding then sees whole characters only. */
async function* readLines(file: string, limit: number): AsyncGenerator<RawLine> {
  let pending: Buffer[] = []
  let pendingBytes = 0
  let line = 1
  let offset = 0

  const take = (last: Buffer): RawLine => {
    const whole = pending.length === 0 ? last : Buffer.concat([...pending, last])
    const skip = offset === 0 && whole.subarray(0, 3).equals(byteOrderMark) ? 3 : 0
    return { line, offset: offset + skip, bytes: whole.subarray(skip) }
  }
  const refuseLongLine = (bytes: number): void => {
    if (bytes > limit) throw new BadInput(file, `a line is longer than ${limit} bytes`, `line ${line}`)
  }

  const stream = createReadStream(file)
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let start = 0
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        refuseLongLine(pendingBytes + end - start)
        yield take(chunk.subarray(start, end))
        offset += pendingBytes + end - start + 1
        pending = []
        pendingBytes = 0
        line += 1
        start = end + 1
      }
      if (start < chunk.length) {
        pending.push(chunk.subarray(start))
        pendingBytes += chunk.length - start
        refuseLongLine(pendingBytes)
      }
    }
  } catch (error) {
    throw errorCode(error) === undefined ? error : new BadInput(file, fileProblem(error))
  }
  if (pendingBytes > 0) yield take(Buffer.alloc(0))
}

function decodeUtf8(file: string, line: number, offset: number, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new BadInput(file, 'is not UTF-8', `line ${line}, byte ${offset + validPrefix(bytes)}`)
  }
}

/** Where the first character that is not UTF-8 begins; found by bisection, since validity of prefixes is monotone. */
function validPrefix(bytes: Buffer): number {
  let good = 0
  let bad = bytes.length + 1
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, middle), { stream: true })
      good = middle
    } catch {
      bad = middle
    }
  }
  while (!isUtf8(bytes.subarray(0, good))) good -= 1
  return good
}

function parseObject(file: string, line: number, text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/, (?:\.{3})?".*$/s, '') : String(error)
    throw new BadInput(file, `is not JSON: ${reason}`, `line ${line}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BadInput(file, 'a row must be a JSON object', `line ${line}`)
  }
  const repeated = findRepeatedKey(text)
  if (repeated !== undefined) {
    throw new BadInput(file, `the key ${JSON.stringify(repeated.key)} stands twice in a row; keep one`, `line ${line}`)
  }
  return value as Record<string, unknown>
}
