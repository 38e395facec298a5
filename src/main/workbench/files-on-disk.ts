/** Hashes and safe writing of the workbench's own files. */
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { outputFile } from '../engine/checkpoint/output-file.ts'
import { canonicalJson } from '../store/json.ts'

/** SHA-256 (lower-case hex) of bytes or UTF-8 text. */
export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** SHA-256 of a file, read piece by piece. */
export function fileSha256(file: string): string {
  const hash = createHash('sha256')
  const descriptor = openSync(file, 'r')
  try {
    const piece = Buffer.allocUnsafe(1 << 20)
    for (let read = readSync(descriptor, piece); read > 0; read = readSync(descriptor, piece)) {
      hash.update(piece.subarray(0, read))
    }
    return hash.digest('hex')
  } finally {
    closeSync(descriptor)
  }
}

/** SHA-256 over the names and hashes of a folder's files. Throws `BadInput` when there is no such folder. */
export function folderSha256(folder: string): string {
  if (!existsSync(folder)) throw new BadInput(folder, 'does not exist')
  return sha256(canonicalJson(filesBelow(folder).map((path) => [path, fileSha256(join(folder, path))])))
}

/**
 * Writes a file whole: under another name, flushed, then renamed into place; a link is followed. Makes its folder. Throws
 * `BadInput` where something that is no file stands there.
 */
export function writeWhole(file: string, content: string | Uint8Array): void {
  const place = outputFile(file)
  mkdirSync(dirname(place), { recursive: true })
  const temporary = `${place}.partial-${process.pid}`
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  try {
    const descriptor = openSync(temporary, 'w')
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(temporary, place)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Every file below a folder, relative, with forward slashes, sorted; none where the folder is missing. */
export function filesBelow(dir: string, prefix = ''): string[] {
  let entries: ReturnType<typeof listing>
  try {
    entries = listing(join(dir, prefix))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  return entries
    .flatMap((entry) => {
      const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`
      return entry.isDirectory() ? filesBelow(dir, path) : [path]
    })
    .sort()
}

const listing = (dir: string) => readdirSync(dir, { withFileTypes: true })

/** Rows as JSON Lines. */
export const jsonl = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

/** The objects of a JSON Lines text that this program wrote itself. */
export function parseJsonl<T>(text: string): T[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}
