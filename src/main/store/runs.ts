/** Tables `runs` and `run_parents`: one row a stage process's work, resumed as often as it takes. */
import type { RunId, StudyId } from '../../shared/ids.ts'
import type { StageJob, StageSummary } from '../../shared/stage.ts'
import type { RunStatus } from '../../shared/study-document.ts'
import { decodeJson, encodeJson } from './json.ts'
import type { Db } from './open-store.ts'

export interface RunRow {
  readonly runId: RunId
  /** Null for a stage on the user's own rows. */
  readonly studyId: StudyId | null
  readonly stage: StageJob['stage']
  readonly purpose: string
  readonly status: RunStatus
  readonly preset: string
  /** The job's settings without paths, so that it means the same on another machine. */
  readonly config: Readonly<Record<string, unknown>>
  readonly device: string
  readonly deviceReason: string | null
  readonly threads: number
  readonly baseSha256: string | null
  readonly dataSha256: Readonly<Record<string, string>>
  readonly codeVersion: string
  readonly parents: readonly { readonly role: string; readonly run_id: RunId }[]
  readonly updatesDone: number
  readonly updatesTotal: number
  /** How much of the journal the store holds, and the hash of that part. */
  readonly journalBytes: number
  readonly journalSha256: string | null
  readonly summary: StageSummary | null
  /** Seconds by phase, summed over sessions. */
  readonly seconds: Readonly<Record<string, number>>
  /** The workbench process that runs it, and the stage process below it (see `process-owner.ts`). */
  readonly owner: string | null
  readonly stageProcess: string | null
  readonly error: string | null
  readonly errorKind: string | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
}

type Columns = {
  run_id: string
  study_id: string | null
  stage: string
  purpose: string
  status: string
  preset: string
  config: string
  device: string
  device_reason: string | null
  threads: number
  base_sha256: string | null
  data_sha256: string
  code_version: string
  updates_done: number
  updates_total: number
  journal_bytes: number
  journal_sha256: string | null
  summary: string | null
  seconds: string
  owner: string | null
  stage_process: string | null
  error: string | null
  error_kind: string | null
  created_at: string
  started_at: string | null
  finished_at: string | null
}

const columns =
  'run_id, study_id, stage, purpose, status, preset, config, device, device_reason, threads, base_sha256, data_sha256, code_version, updates_done, updates_total, journal_bytes, journal_sha256, summary, seconds, owner, stage_process, error, error_kind, created_at, started_at, finished_at'

/** Throws when the id is taken or a parent is unknown. */
export function insertRun(db: Db, row: RunRow): void {
  db.transaction(() => {
    db.prepare(`INSERT INTO runs (${columns}) VALUES (${columns.replaceAll(/\w+/g, '@$&')})`).run(toColumns(row))
    const parent = db.prepare('INSERT INTO run_parents (run_id, role, parent_run_id) VALUES (?, ?, ?)')
    for (const { role, run_id } of row.parents) parent.run(row.runId, role, run_id)
  })()
}

export function findRun(db: Db, runId: string): RunRow | null {
  const found = db.prepare('SELECT * FROM runs WHERE run_id = ?').get(runId) as Columns | undefined
  return found === undefined ? null : fromColumns(db, found)
}

/** Oldest first. */
export function runsOfStudy(db: Db, studyId: StudyId): RunRow[] {
  const found = db
    .prepare('SELECT * FROM runs WHERE study_id = ? ORDER BY created_at, run_id')
    .all(studyId) as Columns[]
  return found.map((row) => fromColumns(db, row))
}

/** Runs on the user's own rows, newest first. */
export function runsWithoutStudy(db: Db): RunRow[] {
  const found = db.prepare('SELECT * FROM runs WHERE study_id IS NULL ORDER BY created_at DESC, run_id DESC').all()
  return (found as Columns[]).map((row) => fromColumns(db, row))
}

/** The study's run of one stage and purpose; the newest where there are several. */
export function runFor(db: Db, studyId: StudyId, stage: StageJob['stage'], purpose: string): RunRow | null {
  const found = db
    .prepare(
      'SELECT * FROM runs WHERE study_id = ? AND stage = ? AND purpose = ? ORDER BY created_at DESC, run_id DESC',
    )
    .get(studyId, stage, purpose) as Columns | undefined
  return found === undefined ? null : fromColumns(db, found)
}

/** Throws when there is no such run. Parents are fixed at creation. */
export function updateRun(db: Db, runId: RunId, changes: Partial<Omit<RunRow, 'runId' | 'parents'>>): void {
  db.transaction(() => {
    const before = findRun(db, runId)
    if (before === null) throw new Error(`the store holds no run ${runId}`)
    const sets = columns.replaceAll(/\w+/g, '$& = @$&')
    db.prepare(`UPDATE runs SET ${sets} WHERE run_id = @run_id`).run(toColumns({ ...before, ...changes }))
  })()
}

function toColumns(row: RunRow): Columns {
  return {
    run_id: row.runId,
    study_id: row.studyId,
    stage: row.stage,
    purpose: row.purpose,
    status: row.status,
    preset: row.preset,
    config: encodeJson(row.config),
    device: row.device,
    device_reason: row.deviceReason,
    threads: row.threads,
    base_sha256: row.baseSha256,
    data_sha256: encodeJson(row.dataSha256),
    code_version: row.codeVersion,
    updates_done: row.updatesDone,
    updates_total: row.updatesTotal,
    journal_bytes: row.journalBytes,
    journal_sha256: row.journalSha256,
    summary: row.summary === null ? null : encodeJson(row.summary),
    seconds: encodeJson(row.seconds),
    owner: row.owner,
    stage_process: row.stageProcess,
    error: row.error,
    error_kind: row.errorKind,
    created_at: row.createdAt,
    started_at: row.startedAt,
    finished_at: row.finishedAt,
  }
}

function fromColumns(db: Db, row: Columns): RunRow {
  return {
    runId: row.run_id as RunId,
    studyId: row.study_id as StudyId | null,
    stage: row.stage as StageJob['stage'],
    purpose: row.purpose,
    status: row.status as RunStatus,
    preset: row.preset,
    config: decodeJson(row.config),
    device: row.device,
    deviceReason: row.device_reason,
    threads: row.threads,
    baseSha256: row.base_sha256,
    dataSha256: decodeJson(row.data_sha256),
    codeVersion: row.code_version,
    parents: db
      .prepare('SELECT role, parent_run_id AS run_id FROM run_parents WHERE run_id = ? ORDER BY role')
      .all(row.run_id) as RunRow['parents'],
    updatesDone: row.updates_done,
    updatesTotal: row.updates_total,
    journalBytes: row.journal_bytes,
    journalSha256: row.journal_sha256,
    summary: row.summary === null ? null : decodeJson(row.summary),
    seconds: decodeJson(row.seconds),
    owner: row.owner,
    stageProcess: row.stage_process,
    error: row.error,
    errorKind: row.error_kind,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  }
}

/** With everything that belongs to it. Throws when another run has it as a parent. */
export function deleteRun(db: Db, runId: RunId): void {
  db.prepare('DELETE FROM runs WHERE run_id = ?').run(runId)
}
