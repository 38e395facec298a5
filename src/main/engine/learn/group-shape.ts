/**
 * The compiled shape for one iteration's rollouts. Lengths vary from iteration to iteration, and every shape is a graph
 * that keeps its working memory for the whole run: columns and rows therefore come in few steps, each twice the last.
 */
import { type BatchShape, columnMultiple, type TokenRow } from '../nn/batch.ts'
import { microBatchRows } from './micro-batch.ts'
import type { StageContext } from './stage-context.ts'

const LEAST_COLUMNS = 16
/** More rows at once do not compute faster on a processor. */
const MOST_ROWS = 16

const roundUp = (value: number, multiple: number) => Math.ceil(value / multiple) * multiple
const doubled = (from: number, atLeast: number) => {
  let value = from
  while (value < atLeast) value *= 2
  return value
}

/** `longest` bounds all rollouts of the run; a large model takes it at once, so that it needs one graph of each kind. */
export function groupShape(
  { base, large }: StageContext,
  rows: readonly TokenRow[],
  longest: { readonly prompt: number; readonly completion: number },
): BatchShape {
  const completion = rows.reduce((n, row) => Math.max(n, row.completionIds.length), 1)
  const allowed = roundUp(longest.completion, columnMultiple)
  const response = large ? allowed : Math.min(doubled(LEAST_COLUMNS, completion), allowed)
  const prompt = roundUp(longest.prompt, columnMultiple)
  const wanted = Math.min(doubled(1, rows.length), MOST_ROWS)
  const fitting = microBatchRows(base.config, prompt + response, response, wanted)
  return { prompt, response, batch: fitting }
}
