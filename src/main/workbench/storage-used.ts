/** How many bytes a home takes. Finished runs count as recorded, so that hundreds of them need no look at every file. */
import { type Dirent, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Db, storeFile } from '../store/open-store.ts'
import { cacheDir, studiesDir, trajectoriesDir } from './places.ts'

export interface StorageUsed {
  readonly studies: number
  /** Of runs on the user's own rows. */
  readonly runs: number
  /** Trajectory files that were brought in or played. */
  readonly trajectories: number
  readonly cache: number
  readonly store: number
  /** Whether everything was counted; false where there is too much to look at. */
  readonly complete: boolean
}

/** So many entries take about a tenth of a second. */
const mostEntries = 20_000

/** Bytes of the files of each run that was recorded whole. */
export function recordedRunBytes(db: Db): Map<string, number> {
  const rows = db
    .prepare('SELECT run_id, SUM(bytes) AS bytes FROM artifacts WHERE run_id IS NOT NULL GROUP BY run_id')
    .all() as { run_id: string; bytes: number }[]
  return new Map(rows.map(({ run_id, bytes }) => [run_id, bytes]))
}

/** @param recorded bytes by run: the folder of such a run is not entered */
export function storageUsed(home: string, recorded: ReadonlyMap<string, number>, most = mostEntries): StorageUsed {
  let left = most
  const below = (dir: string): number => {
    let sum = 0
    for (const entry of entriesOf(dir)) {
      const known = entry.isDirectory() ? recorded.get(entry.name) : undefined
      if (known !== undefined) {
        sum += known
        continue
      }
      if (left <= 0) return sum
      left -= 1
      sum += entry.isDirectory() ? below(join(dir, entry.name)) : entry.isFile() ? sizeOf(join(dir, entry.name)) : 0
    }
    return sum
  }
  const file = storeFile(home)
  const store = sizeOf(file) + sizeOf(`${file}-wal`) + sizeOf(`${file}-shm`)
  const folders = [studiesDir(home), join(home, 'runs'), trajectoriesDir(home), cacheDir(home)] as const
  const [studies = 0, runs = 0, trajectories = 0, cache = 0] = folders.map(below)
  return { studies, runs, trajectories, cache, store, complete: left > 0 }
}

/** None where the folder is missing, or went while we looked. */
function entriesOf(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch (error) {
    if (isGone(error)) return 0
    throw error
  }
}

const isGone = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
