/** Tables `facts`, `resume_checks`, `provenance`: what was checked of a study, and where its numbers come from. */
import type { StudyId } from '../../shared/ids.ts'
import type { IntegrityFact, ResumeCheck } from '../../shared/study-document.ts'
import { decodeJson, encodeJson } from './json.ts'
import type { Db } from './open-store.ts'

export function recordFacts(db: Db, studyId: StudyId, facts: readonly IntegrityFact[]): void {
  const insert = db.prepare('INSERT OR REPLACE INTO facts (study_id, name, status, detail) VALUES (?, ?, ?, ?)')
  db.transaction(() => {
    for (const { name, status, detail } of facts) insert.run(studyId, name, status, detail)
  })()
}

/** In the order they were recorded. */
export function factsOf(db: Db, studyId: StudyId): IntegrityFact[] {
  return db
    .prepare('SELECT name, status, detail FROM facts WHERE study_id = ? ORDER BY rowid')
    .all(studyId) as IntegrityFact[]
}

export function recordResumeCheck(db: Db, studyId: StudyId, check: ResumeCheck): void {
  db.prepare('INSERT OR REPLACE INTO resume_checks (study_id, stage, content) VALUES (?, ?, ?)').run(
    studyId,
    check.stage,
    encodeJson(check),
  )
}

export function resumeChecksOf(db: Db, studyId: StudyId): ResumeCheck[] {
  const found = db.prepare('SELECT content FROM resume_checks WHERE study_id = ? ORDER BY rowid').pluck().all(studyId)
  return (found as string[]).map((content) => decodeJson<ResumeCheck>(content))
}

export type Provenance = Readonly<Record<string, string | number | boolean | null>>

export function recordProvenance(db: Db, studyId: StudyId, values: Provenance): void {
  const insert = db.prepare('INSERT OR REPLACE INTO provenance (study_id, name, value) VALUES (?, ?, ?)')
  db.transaction(() => {
    for (const [name, value] of Object.entries(values)) insert.run(studyId, name, encodeJson(value))
  })()
}

export function provenanceOf(db: Db, studyId: StudyId): Provenance {
  const found = db.prepare('SELECT name, value FROM provenance WHERE study_id = ? ORDER BY name').all(studyId)
  return Object.fromEntries(
    (found as { name: string; value: string }[]).map(({ name, value }) => [name, decodeJson(value)]),
  )
}
