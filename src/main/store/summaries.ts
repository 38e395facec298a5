/** Table `summaries`: the figures over a result's rows, stored beside the rows they were computed from. */
import type { StudyId } from '../../shared/ids.ts'
import { decodeJson, encodeJson } from './json.ts'
import type { Db } from './open-store.ts'

export type SummaryName = 'reward_test' | 'probes' | 'scope'

/** Throws on a non-finite number, naming its place. */
export function writeSummary(db: Db, studyId: StudyId, name: SummaryName, content: unknown): void {
  db.prepare('INSERT OR REPLACE INTO summaries (study_id, name, content) VALUES (?, ?, ?)').run(
    studyId,
    name,
    encodeJson(content),
  )
}

export function readSummary<T>(db: Db, studyId: StudyId, name: SummaryName): T | null {
  const found = db.prepare('SELECT content FROM summaries WHERE study_id = ? AND name = ?').pluck().get(studyId, name)
  return typeof found === 'string' ? decodeJson<T>(found) : null
}
