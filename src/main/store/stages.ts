/** Table `stages`: the seven steps of a study, in order, with what each has done so far. */
import type { StudyId } from '../../shared/ids.ts'
import { type RunStatus, type StageName, type StageRecord, stageNames } from '../../shared/study-document.ts'
import type { Db } from './open-store.ts'

/** Lays out all stages of a new study as queued. */
export function insertStages(db: Db, studyId: StudyId): void {
  const insert = db.prepare(`INSERT INTO stages (study_id, position, name, status) VALUES (?, ?, ?, 'queued')`)
  stageNames.forEach((name, position) => {
    insert.run(studyId, position, name)
  })
}

export function stagesOf(db: Db, studyId: StudyId): StageRecord[] {
  return db
    .prepare(
      // A stage notes its updates when it ends; until then its run knows how far it is.
      `SELECT s.name, s.status, s.seconds,
         MAX(s.updates, COALESCE(r.updates_done, 0)) AS updates, MAX(s.total, COALESCE(r.updates_total, 0)) AS total,
         s.started_at, s.finished_at, s.error
       FROM stages s
       LEFT JOIN runs r ON r.study_id = s.study_id AND r.stage = s.name AND r.purpose = 'main'
       WHERE s.study_id = ? GROUP BY s.name ORDER BY s.position`,
    )
    .all(studyId) as StageRecord[]
}

/** Marks a stage as running; its first start stays its start. */
export function startStage(db: Db, studyId: StudyId, name: StageName, now: string): void {
  db.prepare(
    `UPDATE stages SET status = 'running', error = NULL, started_at = COALESCE(started_at, ?) WHERE study_id = ? AND name = ?`,
  ).run(now, studyId, name)
}

export function stageAdvanced(db: Db, studyId: StudyId, name: StageName, updates: number, total: number): void {
  db.prepare('UPDATE stages SET updates = ?, total = ? WHERE study_id = ? AND name = ?').run(
    updates,
    total,
    studyId,
    name,
  )
}

/** Ends this session's work on a stage. `seconds` is this session's share. */
export function endStage(
  db: Db,
  studyId: StudyId,
  name: StageName,
  end: { readonly status: RunStatus; readonly seconds: number; readonly now: string; readonly error: string | null },
): void {
  db.prepare(
    `UPDATE stages SET status = ?, seconds = seconds + ?, finished_at = ?, error = ? WHERE study_id = ? AND name = ?`,
  ).run(end.status, end.seconds, end.status === 'finished' ? end.now : null, end.error, studyId, name)
}
