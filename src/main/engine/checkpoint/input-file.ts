/** Reading files that a user gave: every system error becomes a BadInput that names the file and the fix. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { BadInput } from '../../../shared/bad-input.ts'
import { parseStrictJson } from './strict-json.ts'

/** Configuration files are a few kilobytes; a larger one is not a configuration file. */
export const CONFIG_JSON_LIMIT = 4 * 1024 * 1024
/** The tokenizers of current models stay under 40 MB; beyond this a file is refused before it is read into memory. */
export const TOKENIZER_JSON_LIMIT = 256 * 1024 * 1024

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'is a folder, a file is needed',
  EACCES: 'no permission to read it',
  EPERM: 'no permission to read it',
  ELOOP: 'symbolic links form a loop',
  ENAMETOOLONG: 'the path is too long',
  EMFILE: 'too many open files',
}

export function errorCode(error: unknown): string | undefined {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') {
    return error.code
  }
  return undefined
}

/** Turns an error of a file operation into one plain phrase. */
export function fileProblem(error: unknown): string {
  const code = errorCode(error)
  if (code !== undefined && reasons[code] !== undefined) return reasons[code]
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`
}

/** A named pipe in place of a file is refused at once instead of waiting for its writer. */
const NO_WAIT = process.platform === 'win32' ? 0 : constants.O_NONBLOCK

/** Opens a regular file for reading; the caller closes it. Throws BadInput for anything else. */
export function openInputFile(path: string): { readonly fd: number; readonly size: number } {
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | NO_WAIT)
  } catch (error) {
    throw new BadInput(path, fileProblem(error))
  }
  const stat = fstatSync(fd)
  if (stat.isFile()) return { fd, size: stat.size }
  closeSync(fd)
  throw new BadInput(path, stat.isDirectory() ? 'is a folder, a file is needed' : 'is not a regular file')
}

/** Opens a regular file for reading, hands it to `use` with its size in bytes, and always closes it. */
export function withInputFile<T>(path: string, use: (fd: number, size: number) => T): T {
  const { fd, size } = openInputFile(path)
  try {
    return use(fd, size)
  } finally {
    closeSync(fd)
  }
}

/** One read call returns at most 2 GiB; larger tensors are read in pieces of this many bytes. */
const READ_PIECE = 1 << 30

/** Fills `target` from `position`. A file that ends early is refused with the byte where it ended. */
export function readFully(path: string, fd: number, target: Uint8Array, position: number): void {
  let done = 0
  while (done < target.byteLength) {
    let count: number
    try {
      count = readSync(fd, target, done, Math.min(READ_PIECE, target.byteLength - done), position + done)
    } catch (error) {
      throw new BadInput(path, fileProblem(error), `byte ${position + done}`)
    }
    if (count === 0) throw new BadInput(path, 'the file ends too early', `byte ${position + done}`)
    done += count
  }
}

/** Whole file as text. Throws BadInput when it is missing, larger than `limit` bytes, or not UTF-8. */
export function readTextFile(path: string, limit: number): string {
  const bytes = withInputFile(path, (fd, size) => {
    if (size > limit) throw new BadInput(path, `has ${size} bytes, at most ${limit} are read`)
    const target = new Uint8Array(size)
    readFully(path, fd, target, 0)
    return target
  })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new BadInput(path, 'is not valid UTF-8')
  }
}

export type JsonObject = { readonly [key: string]: unknown }

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A JSON file that must hold one object; duplicate keys are refused. */
export function readJsonObject(path: string, limit: number = CONFIG_JSON_LIMIT): JsonObject {
  const text = readTextFile(path, limit)
  if (text.trim() === '') throw new BadInput(path, 'the file is empty')
  const value = parseStrictJson(text, path)
  if (!isJsonObject(value)) throw new BadInput(path, 'must hold a JSON object')
  return value
}
