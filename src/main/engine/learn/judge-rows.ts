/** Scalar scores of fixed responses: the predicted simulated preference of a frozen reward model. */
import type { EncodedRow } from '../../../shared/rows.ts'
import type { JudgeRow } from '../../../shared/stage.ts'
import { shapeFor } from '../nn/batch.ts'
import { microBatchRows } from './micro-batch.ts'
import { type OnRows, rewardScores } from './reading.ts'
import type { Role } from './role.ts'
import type { StageContext } from './stage-context.ts'

const JUDGE_ROWS = 16

export async function judgeRows(
  { model, base }: StageContext,
  reward: Role,
  rows: readonly EncodedRow[],
  onRows?: OnRows,
): Promise<JudgeRow[]> {
  const whole = shapeFor(rows, 1)
  const batch = microBatchRows(base.config, whole.prompt + whole.response, 1, Math.min(rows.length, JUDGE_ROWS))
  const scores = await rewardScores(model, reward, rows, { ...whole, batch }, onRows)
  return rows.map((row, i) => ({ id: row.id, reward: scores[i]!, tokens: row.completionIds.length }))
}
