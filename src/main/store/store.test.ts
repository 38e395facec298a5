import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BadInput } from '../../shared/bad-input.ts'
import { newStudyId } from '../../shared/ids.ts'
import { minimumPreset } from '../../shared/training-config.ts'
import { runningJob, takeComputeLock } from './compute-lock.ts'
import { migrations } from './migrations.ts'
import { openStore, sqliteVersion, storeFile } from './open-store.ts'
import { encodeOwner, isAlive, thisProcess } from './process-owner.ts'
import { insertStages, stagesOf, startStage } from './stages.ts'
import { allStudies, findStudy, insertStudy, type StudyRow, updateStudy } from './studies.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'store-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const study = (changes: Partial<StudyRow> = {}): StudyRow => ({
  studyId: newStudyId(new Date('2026-11-29T16:04:05Z'), () => 0.5),
  name: 'office-help',
  preset: 'minimum',
  status: 'queued',
  seed: 49,
  config: minimumPreset,
  configSha256: 'c',
  codeVersion: '0.1.0',
  modelDir: '/model',
  modelFiles: { 'config.json': 'a' },
  baseSha256: null,
  device: 'cpu',
  deviceReason: null,
  threads: 2,
  verifyResume: false,
  corpusManifestSha256: null,
  corpusAudit: null,
  reportFiles: [],
  owner: null,
  error: null,
  errorStage: null,
  createdAt: '2026-11-29T16:04:05.000Z',
  finishedAt: null,
  ...changes,
})

/** A process that has come and gone. */
function deadOwner(): string {
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  return encodeOwner({ ...thisProcess(), pid, started: '1' })
}

function fault(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    expect(error).toBeInstanceOf(BadInput)
    return (error as BadInput).message
  }
  throw new Error('nothing was thrown')
}

describe('opening', () => {
  it('creates a store with WAL, foreign keys and every migration', () => {
    const store = openStore(home)
    expect(store.db.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(store.db.pragma('foreign_keys', { simple: true })).toBe(1)
    expect(store.db.pragma('user_version', { simple: true })).toBe(migrations.at(-1)!.version)
    expect(sqliteVersion(store.db)).toMatch(/^3\./)
    insertStudy(store.db, study())
    store.close()
    const again = openStore(home)
    expect(allStudies(again.db)).toEqual([study()])
    again.close()
  })

  it('applies a later migration to an older store, once', () => {
    openStore(home).close()
    const later = [...migrations, { version: 99, sql: 'CREATE TABLE later (a)' }]
    openStore(home, later).close()
    const store = openStore(home, later)
    expect(store.db.pragma('user_version', { simple: true })).toBe(99)
    store.close()
    expect(fault(() => openStore(home))).toContain('newer version')
  })

  it('rolls a failing migration back and says so', () => {
    openStore(home).close()
    const broken = [...migrations, { version: migrations.length + 1, sql: 'CREATE TABLE half (a); SELECT nonsense' }]
    expect(() => openStore(home, broken)).toThrow('nonsense')
    const store = openStore(home)
    expect(store.db.prepare(`SELECT count(*) FROM sqlite_master WHERE name = 'half'`).pluck().get()).toBe(0)
    store.close()
  })

  it.each([
    ['garbage', Buffer.from('this is no database at all, but long enough to be read as a header '.repeat(100))],
    ['an empty file', Buffer.alloc(0)],
  ])('keeps %s under the store name as it is', (_name, bytes) => {
    writeFileSync(storeFile(home), bytes)
    expect(fault(() => openStore(home))).toContain('damaged')
    expect(readFileSync(storeFile(home))).toEqual(bytes)
  })

  it('keeps a store with a damaged page as it is', () => {
    const store = openStore(home)
    for (let n = 0; n < 50; n++) {
      insertStudy(store.db, study({ studyId: newStudyId(new Date(n * 60_000), () => 0), name: 'x'.repeat(2000) }))
    }
    store.db.pragma('wal_checkpoint(TRUNCATE)')
    store.close()
    const bytes = readFileSync(storeFile(home))
    bytes.fill(0xa5, 4096 * 8, bytes.length - 4096)
    writeFileSync(storeFile(home), bytes)
    expect(fault(() => openStore(home))).toContain('damaged')
    expect(readFileSync(storeFile(home))).toEqual(bytes)
  })

  it("refuses another program's database", () => {
    const other = new Database(storeFile(home))
    other.exec('CREATE TABLE theirs (a)')
    other.close()
    expect(fault(() => openStore(home))).toContain('not a run store of this program')
  })

  it('does not recreate a store that vanished beside its studies', () => {
    mkdirSync(join(home, 'studies', 'study-20261129-1604-ab12'), { recursive: true })
    expect(fault(() => openStore(home))).toContain('is missing')
    expect(existsSync(storeFile(home))).toBe(false)
  })

  it('says in one sentence that a home is a file', () => {
    const file = join(home, 'file')
    writeFileSync(file, '')
    expect(fault(() => openStore(file))).toContain('is not a folder')
    expect(fault(() => openStore(join(file, 'below')))).toContain('is not a folder')
  })

  it('says in one sentence that a home is read-only', () => {
    mkdirSync(join(home, 'locked'))
    chmodSync(join(home, 'locked'), 0o555)
    chmodSync(home, 0o755)
    const result = asUnprivileged(join(home, 'locked', 'home'))
    expect(result).toContain('BadInput')
    expect(result).toContain('permission denied')
  })

  it('says in one sentence that an existing store is read-only', () => {
    openStore(home).close()
    chmodSync(home, 0o555)
    chmodSync(storeFile(home), 0o444)
    expect(asUnprivileged(home)).toMatch(/BadInput.*(read-only|permission denied|cannot be opened for writing)/)
  })
})

/** Opens a store as a user without rights over it; root itself may write anywhere. */
function asUnprivileged(target: string): string {
  const module = join(dirname(fileURLToPath(import.meta.url)), 'open-store.ts')
  const script = `import { openStore } from ${JSON.stringify(module)}
    try { openStore(${JSON.stringify(target)}); console.log('opened') } catch (e) { console.log(e.name + ' ' + e.message) }`
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  const result = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', ...user })
  return result.stdout + result.stderr
}

describe('a disk that is full', () => {
  it('is one sentence', () => {
    const store = openStore(home)
    const pages = store.db.pragma('page_count', { simple: true }) as number
    store.db.pragma(`max_page_count = ${pages}`)
    expect(() => {
      for (let n = 0; n < 200; n++) {
        insertStudy(store.db, study({ studyId: newStudyId(new Date(n * 60_000), () => 0), name: 'x'.repeat(4000) }))
      }
    }).toThrow(/full/)
    store.close()
  })
})

describe('interruption', () => {
  it('marks work of a dead process interrupted and leaves that of a living one', () => {
    const store = openStore(home)
    const dead = study({ status: 'running', owner: deadOwner() })
    const alive = study({
      studyId: newStudyId(new Date('2026-11-29T16:05:00Z'), () => 0),
      status: 'running',
      owner: encodeOwner(thisProcess()),
    })
    for (const row of [dead, alive]) {
      insertStudy(store.db, row)
      insertStages(store.db, row.studyId)
      startStage(store.db, row.studyId, 'sft', 'now')
    }
    const lock = takeComputeLock(store, 'the living one')
    const again = openStore(home)
    expect(findStudy(again.db, dead.studyId)).toMatchObject({ status: 'interrupted', owner: null })
    expect(stagesOf(again.db, dead.studyId)[1]).toMatchObject({ name: 'sft', status: 'interrupted' })
    expect(findStudy(again.db, alive.studyId)).toMatchObject({ status: 'running' })
    expect(stagesOf(again.db, alive.studyId)[1]).toMatchObject({ status: 'running' })
    again.close()
    // The process lives on, but its job has ended without being able to say so.
    lock.release()
    store.close()
    const later = openStore(home)
    expect(findStudy(later.db, alive.studyId)).toMatchObject({ status: 'interrupted' })
    later.close()
  })

  it('knows a living process, a dead one, and a reused process number', () => {
    expect(isAlive(thisProcess())).toBe(true)
    expect(isAlive({ ...thisProcess(), started: 'another time' })).toBe(false)
    expect(isAlive({ ...thisProcess(), host: 'elsewhere' })).toBe(false)
  })
})

describe('compute lock', () => {
  it('lets one job in, names it to the next, and frees it on release', () => {
    const store = openStore(home)
    const lock = takeComputeLock(store, 'study one')
    expect(runningJob(store.db)).toEqual({ what: 'study one', pid: process.pid })
    expect(fault(() => takeComputeLock(store, 'study two'))).toContain('study one is running here already')
    lock.release()
    takeComputeLock(store, 'study two').release()
    expect(runningJob(store.db)).toBe(null)
    store.close()
  })

  it('is taken over from a dead process, and from a silent one elsewhere', () => {
    const store = openStore(home)
    const hold = (owner: string, heartbeat: string) =>
      store.db
        .prepare('INSERT OR REPLACE INTO compute_lock VALUES (1, ?, ?, ?, ?)')
        .run(owner, 'old', heartbeat, heartbeat)
    hold(deadOwner(), new Date().toISOString())
    takeComputeLock(store, 'new').release()
    hold(encodeOwner(thisProcess()), new Date().toISOString())
    takeComputeLock(store, 'new').release()
    hold(encodeOwner({ pid: 1, started: '', host: 'elsewhere' }), new Date().toISOString())
    expect(fault(() => takeComputeLock(store, 'new'))).toContain('old is running')
    hold(encodeOwner({ pid: 1, started: '', host: 'elsewhere' }), '2020-01-01T00:00:00.000Z')
    takeComputeLock(store, 'new').release()
    store.close()
  })
})

describe('studies', () => {
  it('changes only what is named and refuses what JSON cannot hold', () => {
    const store = openStore(home)
    insertStudy(store.db, study())
    updateStudy(store.db, study().studyId, { status: 'finished', corpusAudit: { pairs: 1200 } })
    expect(findStudy(store.db, study().studyId)).toEqual(study({ status: 'finished', corpusAudit: { pairs: 1200 } }))
    expect(() => updateStudy(store.db, study().studyId, { corpusAudit: { bad: Number.NaN } })).toThrow('$.bad is NaN')
    store.close()
  })
})
