/** Two judges, two policies, one prompt: did the learned reward rise or fall, and did the rubric's verdict change? */
import type { EvaluationRow } from '../../../shared/study-results.ts'

export type RewardMove = 'up' | 'equal' | 'down'
/** gained: failed before, passes now; lost: the other way round. */
export type RubricMove = 'gained' | 'passed both' | 'failed both' | 'lost'

export const rewardMoves: readonly RewardMove[] = ['up', 'equal', 'down']
export const rubricMoves: readonly RubricMove[] = ['gained', 'passed both', 'failed both', 'lost']

export interface PairedRow {
  readonly before: EvaluationRow
  readonly after: EvaluationRow
  readonly rewardChange: number
  readonly reward: RewardMove
  readonly rubric: RubricMove
}

/** Rows of two policies joined by document; a document that only one of them answered is left out. */
export function pairRows(before: readonly EvaluationRow[], after: readonly EvaluationRow[]): PairedRow[] {
  const byDocument = new Map(before.map((row) => [row.document_id, row]))
  return after.flatMap((row) => {
    const earlier = byDocument.get(row.document_id)
    if (earlier === undefined) return []
    const rewardChange = row.learned_reward_score - earlier.learned_reward_score
    const [passedBefore, passesNow] = [earlier.rubric.rubric_success, row.rubric.rubric_success]
    return [
      {
        before: earlier,
        after: row,
        rewardChange,
        reward: rewardChange > 0 ? 'up' : rewardChange < 0 ? 'down' : 'equal',
        rubric: passedBefore ? (passesNow ? 'passed both' : 'lost') : passesNow ? 'gained' : 'failed both',
      } satisfies PairedRow,
    ]
  })
}

export type QuadrantCounts = Readonly<Record<RewardMove, Readonly<Record<RubricMove, number>>>>

export function countQuadrants(pairs: readonly PairedRow[]): QuadrantCounts {
  const row = () => ({ gained: 0, 'passed both': 0, 'failed both': 0, lost: 0 })
  const counts = { up: row(), equal: row(), down: row() }
  for (const pair of pairs) counts[pair.reward][pair.rubric] += 1
  return counts
}

/** One row per distinct prompt, the last one seen, as the study's own summaries by context take them. */
export function byContext(rows: readonly EvaluationRow[]): EvaluationRow[] {
  return [...new Map(rows.map((row) => [row.prompt, row])).values()]
}
