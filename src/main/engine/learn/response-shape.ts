/** The compiled shape for a batch of sampled responses. */
import { type BatchShape, columnMultiple, type TokenRow } from '../nn/batch.ts'
import { microBatchRows } from './micro-batch.ts'
import type { StageContext } from './stage-context.ts'

/** Small models compile one graph per this many response columns; what a short batch saves outweighs the compiling. */
const responseColumns = 16

const roundUp = (value: number, multiple: number) => Math.ceil(value / multiple) * multiple

/**
 * `promptColumns` is the data set's longest prompt. Response columns follow the batch's longest response on small
 * models; a large model takes the longest allowed response, so that it needs one session only.
 */
export function responseShape(
  { base, large }: StageContext,
  rows: readonly TokenRow[],
  promptColumns: number,
  longestAllowed: number,
): BatchShape {
  const longest = rows.reduce((n, row) => Math.max(n, row.completionIds.length), 1)
  const response = Math.min(
    roundUp(large ? longestAllowed : longest, responseColumns),
    roundUp(longestAllowed, columnMultiple),
  )
  const prompt = roundUp(promptColumns, columnMultiple)
  return { prompt, response, batch: microBatchRows(base.config, prompt + response, response, rows.length) }
}
