/** Token log-probabilities of given completions under a policy, or under the base alone. */
import type { EncodedRow } from '../../../shared/rows.ts'
import { shapeFor } from '../nn/batch.ts'
import { microBatchRows } from './micro-batch.ts'
import { type OnRows, tokenLogProbs } from './reading.ts'
import type { Role } from './role.ts'
import type { StageContext } from './stage-context.ts'

const SCORE_ROWS = 16

export interface ScoredRow {
  readonly id: string
  readonly token_ids: readonly number[]
  readonly logprobs: readonly number[]
  readonly sum_logprob: number
  readonly tokens: number
}

export async function scoreRows(
  { model, base }: StageContext,
  policy: Role | null,
  rows: readonly EncodedRow[],
  onRows?: OnRows,
): Promise<ScoredRow[]> {
  const whole = shapeFor(rows, 1)
  const batch = microBatchRows(
    base.config,
    whole.prompt + whole.response,
    whole.response,
    Math.min(rows.length, SCORE_ROWS),
  )
  const logProbs = await tokenLogProbs(model, policy, rows, { ...whole, batch }, onRows)
  return rows.map((row, i) => ({
    id: row.id,
    token_ids: row.completionIds,
    logprobs: logProbs[i]!,
    sum_logprob: logProbs[i]!.reduce((sum, value) => sum + value, 0),
    tokens: row.completionIds.length,
  }))
}
