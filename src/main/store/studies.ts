/** Table `studies`: one row a study, from its start to its report. */
import type { StudyId } from '../../shared/ids.ts'
import type { RunStatus } from '../../shared/study-document.ts'
import type { StudyConfig } from '../../shared/training-config.ts'
import { decodeJson, encodeJson } from './json.ts'
import type { Db } from './open-store.ts'

export interface StudyRow {
  readonly studyId: StudyId
  readonly name: string
  readonly preset: string
  readonly status: RunStatus
  readonly seed: number
  readonly config: StudyConfig
  readonly configSha256: string
  readonly codeVersion: string
  readonly modelDir: string
  /** SHA-256 by file name of the base folder. */
  readonly modelFiles: Readonly<Record<string, string>>
  readonly baseSha256: string | null
  readonly device: string
  readonly deviceReason: string | null
  readonly threads: number
  readonly verifyResume: boolean
  readonly corpusManifestSha256: string | null
  readonly corpusAudit: Readonly<Record<string, unknown>> | null
  readonly reportFiles: readonly string[]
  readonly owner: string | null
  readonly error: string | null
  readonly errorStage: string | null
  readonly createdAt: string
  readonly finishedAt: string | null
}

type Columns = {
  study_id: string
  name: string
  preset: string
  status: string
  seed: number
  config: string
  config_sha256: string
  code_version: string
  model_dir: string
  model_files: string
  base_sha256: string | null
  device: string
  device_reason: string | null
  threads: number
  verify_resume: number
  corpus_manifest_sha256: string | null
  corpus_audit: string | null
  report_files: string
  owner: string | null
  error: string | null
  error_stage: string | null
  created_at: string
  finished_at: string | null
}

const columns =
  'study_id, name, preset, status, seed, config, config_sha256, code_version, model_dir, model_files, base_sha256, device, device_reason, threads, verify_resume, corpus_manifest_sha256, corpus_audit, report_files, owner, error, error_stage, created_at, finished_at'

/** Throws when the id is taken. */
export function insertStudy(db: Db, row: StudyRow): void {
  const named = columns.replaceAll(/\w+/g, '@$&')
  db.prepare(`INSERT INTO studies (${columns}) VALUES (${named})`).run(toColumns(row))
}

export function findStudy(db: Db, studyId: string): StudyRow | null {
  const found = db.prepare('SELECT * FROM studies WHERE study_id = ?').get(studyId) as Columns | undefined
  return found === undefined ? null : fromColumns(found)
}

/** Newest first. */
export function allStudies(db: Db): StudyRow[] {
  const found = db.prepare('SELECT * FROM studies ORDER BY created_at DESC, study_id DESC').all() as Columns[]
  return found.map(fromColumns)
}

/** Replaces the whole row: read, change, write inside one transaction of the caller. Throws when there is none. */
export function updateStudy(db: Db, studyId: StudyId, changes: Partial<StudyRow>): void {
  db.transaction(() => {
    const before = findStudy(db, studyId)
    if (before === null) throw new Error(`the store holds no study ${studyId}`)
    const sets = columns.replaceAll(/\w+/g, '$& = @$&')
    db.prepare(`UPDATE studies SET ${sets} WHERE study_id = @study_id`).run(
      toColumns({ ...before, ...changes, studyId }),
    )
  })()
}

export function deleteStudy(db: Db, studyId: StudyId): void {
  db.prepare('DELETE FROM studies WHERE study_id = ?').run(studyId)
}

function toColumns(row: StudyRow): Columns {
  return {
    study_id: row.studyId,
    name: row.name,
    preset: row.preset,
    status: row.status,
    seed: row.seed,
    config: encodeJson(row.config),
    config_sha256: row.configSha256,
    code_version: row.codeVersion,
    model_dir: row.modelDir,
    model_files: encodeJson(row.modelFiles),
    base_sha256: row.baseSha256,
    device: row.device,
    device_reason: row.deviceReason,
    threads: row.threads,
    verify_resume: row.verifyResume ? 1 : 0,
    corpus_manifest_sha256: row.corpusManifestSha256,
    corpus_audit: row.corpusAudit === null ? null : encodeJson(row.corpusAudit),
    report_files: encodeJson(row.reportFiles),
    owner: row.owner,
    error: row.error,
    error_stage: row.errorStage,
    created_at: row.createdAt,
    finished_at: row.finishedAt,
  }
}

function fromColumns(row: Columns): StudyRow {
  return {
    studyId: row.study_id as StudyId,
    name: row.name,
    preset: row.preset,
    status: row.status as RunStatus,
    seed: row.seed,
    config: decodeJson(row.config),
    configSha256: row.config_sha256,
    codeVersion: row.code_version,
    modelDir: row.model_dir,
    modelFiles: decodeJson(row.model_files),
    baseSha256: row.base_sha256,
    device: row.device,
    deviceReason: row.device_reason,
    threads: row.threads,
    verifyResume: row.verify_resume === 1,
    corpusManifestSha256: row.corpus_manifest_sha256,
    corpusAudit: row.corpus_audit === null ? null : decodeJson(row.corpus_audit),
    reportFiles: decodeJson(row.report_files),
    owner: row.owner,
    error: row.error,
    errorStage: row.error_stage,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  }
}
