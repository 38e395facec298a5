/** Table `probes`: the frozen reward model on the fixed factorial candidates. */
import type { StudyId } from '../../shared/ids.ts'
import type { ProbeResult, ProbeRowResult } from '../../shared/study-results.ts'
import { assertFinite, decodeJson, encodeJson } from './json.ts'
import type { Db } from './open-store.ts'
import { readSummary, writeSummary } from './summaries.ts'

type Columns = Omit<ProbeRowResult, 'candidate_correct' | 'candidate_polite' | 'rubric'> & {
  readonly candidate_correct: number
  readonly candidate_polite: number
  readonly rubric: string
}

/** Replaces the stored probes. Throws on a non-finite number, naming its place. */
export function saveProbes(db: Db, studyId: StudyId, result: ProbeResult): void {
  db.transaction(() => {
    const { rows, ...summary } = result
    writeSummary(db, studyId, 'probes', summary)
    db.prepare('DELETE FROM probes WHERE study_id = ?').run(studyId)
    const insert = db.prepare('INSERT INTO probes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    rows.forEach((row, position) => {
      assertFinite(row, `probe ${row.document_id}`)
      insert.run(
        studyId,
        position,
        row.document_id,
        row.family,
        row.prompt,
        row.candidate,
        row.candidate_correct ? 1 : 0,
        row.candidate_polite ? 1 : 0,
        row.response_tokens,
        row.reward_score,
        encodeJson(row.rubric),
      )
    })
  })()
}

export function probesOf(db: Db, studyId: StudyId): ProbeResult | null {
  const summary = readSummary<Omit<ProbeResult, 'rows'>>(db, studyId, 'probes')
  if (summary === null) return null
  const rows = db
    .prepare(
      `SELECT document_id, family, prompt, candidate, candidate_correct, candidate_polite, response_tokens,
         reward_score, rubric
       FROM probes WHERE study_id = ? ORDER BY position`,
    )
    .all(studyId) as Columns[]
  return {
    ...summary,
    rows: rows.map((row) => ({
      ...row,
      candidate_correct: row.candidate_correct === 1,
      candidate_polite: row.candidate_polite === 1,
      rubric: decodeJson(row.rubric),
    })),
  }
}
