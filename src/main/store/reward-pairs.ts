/** Table `reward_pairs`: the frozen reward model on the held-out pairs, apart from any policy's own responses. */
import type { StudyId } from '../../shared/ids.ts'
import type { RewardPairResult, RewardTestResult } from '../../shared/study-results.ts'
import { assertFinite } from './json.ts'
import type { Db } from './open-store.ts'
import { readSummary, writeSummary } from './summaries.ts'

/** Replaces the stored test. Throws on a non-finite number, naming its place. */
export function saveRewardTest(db: Db, studyId: StudyId, result: RewardTestResult): void {
  db.transaction(() => {
    const { rows, ...summary } = result
    writeSummary(db, studyId, 'reward_test', summary)
    db.prepare('DELETE FROM reward_pairs WHERE study_id = ?').run(studyId)
    const insert = db.prepare('INSERT INTO reward_pairs VALUES (?, ?, ?, ?, ?, ?, ?)')
    rows.forEach((row, position) => {
      assertFinite(row, `pair ${row.document_id}`)
      insert.run(
        studyId,
        position,
        row.document_id,
        row.chosen_score,
        row.rejected_score,
        row.correct ? 1 : 0,
        row.tie ? 1 : 0,
      )
    })
  })()
}

export function rewardTestOf(db: Db, studyId: StudyId): RewardTestResult | null {
  const summary = readSummary<Omit<RewardTestResult, 'rows'>>(db, studyId, 'reward_test')
  if (summary === null) return null
  const rows = db
    .prepare(
      `SELECT document_id, chosen_score, rejected_score, correct, tie
       FROM reward_pairs WHERE study_id = ? ORDER BY position`,
    )
    .all(studyId) as (Omit<RewardPairResult, 'correct' | 'tie'> & { correct: number; tie: number })[]
  return { ...summary, rows: rows.map((row) => ({ ...row, correct: row.correct === 1, tie: row.tie === 1 })) }
}
