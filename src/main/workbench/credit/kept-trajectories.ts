/**
 * Trajectory files kept in the home, so that what was looked at can be looked at again: a folder each, named by the
 * SHA-256 of its rows, with a note of where they came from and which fields they have. Imports nothing itself.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type { KeptTrajectories, TrajectoryNote } from '../../../shared/credit.ts'
import { fileSha256, writeWhole } from '../files-on-disk.ts'
import { trajectoriesDir } from '../places.ts'

const rowsFile = 'rows.jsonl'
const noteFile = 'note.json'
const hash = /^[0-9a-f]{64}$/

/** Newest first; a folder whose note cannot be read is no source and is passed over. */
export function keptTrajectories(home: string): KeptTrajectories[] {
  const dir = trajectoriesDir(home)
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .filter((name) => hash.test(name))
    .flatMap((sha256) => {
      const note = readNote(join(dir, sha256, noteFile))
      return note === null ? [] : [{ sha256, ...note }]
    })
    .sort((a, b) => (a.kept_at < b.kept_at ? 1 : -1))
}

function readNote(file: string): TrajectoryNote | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as TrajectoryNote
  } catch {
    return null
  }
}

/** Throws `BadInput` when the home keeps no such file, or its rows are no longer those that were kept. */
export function keptFile(home: string, sha256: string): string {
  const file = requireKept(home, sha256)
  const found = fileSha256(file)
  if (found !== sha256) throw new BadInput(file, `changed: its SHA-256 is ${found}, kept as ${sha256}`)
  return file
}

/**
 * Changes when the kept file does; cheaper than its hash. Throws `BadInput` when the home keeps no such file.
 */
export function keptState(home: string, sha256: string): string {
  const { ino, size, mtimeMs } = statSync(requireKept(home, sha256))
  return `${ino} ${size} ${mtimeMs}`
}

function requireKept(home: string, sha256: string): string {
  const file = join(trajectoriesDir(home), sha256, rowsFile)
  if (!hash.test(sha256) || !existsSync(file)) throw new BadInput(sha256, 'is not a kept trajectory file')
  return file
}

/** Takes the file at `rows` over by renaming it. Rows kept before keep their first note. */
export function keepTrajectories(home: string, rows: string, note: TrajectoryNote): KeptTrajectories {
  const sha256 = fileSha256(rows)
  const folder = join(trajectoriesDir(home), sha256)
  const before = readNote(join(folder, noteFile))
  if (before !== null) {
    rmSync(rows)
    return { sha256, ...before }
  }
  mkdirSync(folder, { recursive: true })
  renameSync(rows, join(folder, rowsFile))
  writeWhole(join(folder, noteFile), `${JSON.stringify(note, null, 2)}\n`)
  return { sha256, ...note }
}

/** Where an import writes before its rows have a hash; on the home's own file system, so that it can be renamed. */
export function unkeptFile(home: string): string {
  mkdirSync(trajectoriesDir(home), { recursive: true })
  return join(trajectoriesDir(home), `.import-${process.pid}-${Date.now()}.jsonl`)
}

/** Throws `BadInput` when the home keeps no such file. */
export function forgetTrajectories(home: string, sha256: string): void {
  const folder = join(trajectoriesDir(home), sha256)
  if (!hash.test(sha256) || !existsSync(folder)) throw new BadInput(sha256, 'is not a kept trajectory file')
  rmSync(folder, { recursive: true })
}
