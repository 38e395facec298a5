/** Opens the run store of a home: the only place that creates, migrates or judges the database file. */
import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { BadInput } from '../../shared/bad-input.ts'
import { makeFolder } from '../engine/checkpoint/make-folder.ts'
import { isDamage, openingFault } from './home-faults.ts'
import { markOrphansInterrupted } from './interruptions.ts'
import { applicationId, type Migration, migrations } from './migrations.ts'

export type Db = Database.Database

export interface Store {
  readonly home: string
  readonly file: string
  readonly db: Db
  close(): void
}

export const storeFile = (home: string): string => join(home, 'store.sqlite')

/** Older SQLite can corrupt a database when the write-ahead log is reset while another process reads. */
const oldestSqlite = [3, 51, 3] as const

/**
 * Opens the store of `home`, creating both where there is none, and marks work whose process is gone as
 * interrupted. Throws `BadInput` when the home cannot be used, or its store is damaged, newer than this program,
 * or another program's; such a file is left exactly as it was.
 */
export function openStore(home: string, steps: readonly Migration[] = migrations): Store {
  assertRuntime()
  const file = storeFile(home)
  try {
    makeFolder(home)
    if (!existsSync(file)) createStore(home, file)
    const db = openExisting(file)
    try {
      migrate(db, file, steps)
      markOrphansInterrupted(db)
    } catch (error) {
      db.close()
      throw error
    }
    return { home, file, db, close: () => db.close() }
  } catch (error) {
    if (isDamage(error)) throw damaged(file, (error as Error).message)
    throw openingFault(home, error)
  }
}

function assertRuntime(): void {
  if (Number(process.versions.napi ?? 0) < 10) {
    throw new BadInput('node', `version ${process.versions.node} is too old for the run store; use Node 22.14 or newer`)
  }
}

/**
 * A new store is made under another name and linked into place, so that an empty or half-made file under the
 * store's own name is always damage, never a beginning.
 */
function createStore(home: string, file: string): void {
  const studies = join(home, 'studies')
  if (existsSync(studies) && readdirSync(studies).length > 0) {
    throw new BadInput(file, 'is missing although the home holds studies; put it back, or move the studies folder away')
  }
  const fresh = `${file}.new-${process.pid}`
  rmSync(fresh, { force: true })
  try {
    const db = new Database(fresh)
    try {
      assertSqliteVersion(db)
      db.pragma(`application_id = ${applicationId}`)
      db.exec('VACUUM')
    } finally {
      db.close()
    }
    place(fresh, file)
  } finally {
    rmSync(fresh, { force: true })
  }
}

function place(fresh: string, file: string): void {
  try {
    linkSync(fresh, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Some file systems know no hard links; there the rename's short race is accepted.
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS') renameSync(fresh, file)
    // Another process was first: its store is as good as ours.
    else if (code !== 'EEXIST') throw error
  }
}

/** How long a write waits for another process: a flush to a busy disk takes seconds, and a study must not fail of it. */
const patienceMs = 30_000

function openExisting(file: string): Db {
  if (statSync(file).isDirectory()) throw new BadInput(file, 'is a folder, not a run store')
  if (statSync(file).size === 0) throw damaged(file, 'it is empty')
  const db = new Database(file, { timeout: patienceMs })
  try {
    assertSqliteVersion(db)
    const found = db.pragma('application_id', { simple: true })
    if (found !== applicationId) throw new BadInput(file, 'is not a run store of this program; it was left as it is')
    db.pragma('journal_mode = WAL')
    // FULL: a stage that was reported finished is finished after a power cut too. An update takes far longer
    // than the flush that this costs.
    db.pragma('synchronous = FULL')
    db.pragma('foreign_keys = ON')
    const verdict = db.pragma('quick_check(1)', { simple: true })
    if (verdict !== 'ok') throw damaged(file, String(verdict))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function assertSqliteVersion(db: Db): void {
  const version = sqliteVersion(db)
  const parts = version.split('.').map(Number)
  for (const [index, least] of oldestSqlite.entries()) {
    const part = parts[index] ?? 0
    if (part > least) return
    if (part < least) throw new Error(`SQLite ${version} is too old: ${oldestSqlite.join('.')} or newer is needed`)
  }
}

export function sqliteVersion(db: Db): string {
  return db.prepare('SELECT sqlite_version()').pluck().get() as string
}

/** Applies the steps above the file's own version, each in a transaction together with its number. */
function migrate(db: Db, file: string, steps: readonly Migration[]): void {
  const newest = steps.at(-1)?.version ?? 0
  const read = () => db.pragma('user_version', { simple: true }) as number
  if (read() > newest) {
    throw new BadInput(
      file,
      `was written by a newer version of this program (format ${read()}, this one knows ${newest}); it was left as it is`,
    )
  }
  for (const step of steps) {
    db.transaction(() => {
      // Read inside the transaction: another process may have applied the step meanwhile.
      if (read() >= step.version) return
      db.exec(step.sql)
      db.pragma(`user_version = ${step.version}`)
    }).immediate()
  }
}

function damaged(file: string, detail: string): BadInput {
  return new BadInput(
    file,
    `is damaged and was left as it is; move it away and bring the studies back with study import (${detail})`,
  )
}
