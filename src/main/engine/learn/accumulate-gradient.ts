/** One optimizer step's gradient over many rows, micro-batch by micro-batch, with the weights of its reduction. */
import { activeTokens, type Batch, type BatchShape, layOutBatch, perToken, type TokenRow } from '../nn/batch.ts'
import type { Tensor } from '../runtime/session.ts'
import type { Learner } from './learner.ts'

/** One micro-batch, its gradient left in `learner.part`: the loss it adds and one number a token of each row. */
export type MicroBatch<T> = (
  batch: Batch,
  part: readonly T[],
  weights: Tensor,
) => Promise<{ readonly loss: number; readonly perToken: readonly (readonly number[])[] }>

/**
 * Token weights are 1/(action tokens of the row · rows of the step): response mean, then batch mean.
 * @returns the loss, and what `run` read of every row
 */
export async function accumulateGradient<T>(
  learner: Learner,
  items: readonly T[],
  rowOf: (item: T) => TokenRow,
  shape: BatchShape,
  run: MicroBatch<T>,
): Promise<{ loss: number; perToken: (readonly number[])[] }> {
  learner.clear()
  let loss = 0
  const all: (readonly number[])[] = []
  for (let start = 0; start < items.length; start += shape.batch) {
    const part = items.slice(start, start + shape.batch)
    const rows = part.map(rowOf)
    const weights = perToken(
      rows.map((row) => new Array<number>(row.completionIds.length).fill(1 / (activeTokens(row) * items.length))),
      shape,
    )
    const result = await run(layOutBatch(rows, shape), part, weights)
    learner.accumulate(result.loss)
    loss += result.loss
    all.push(...result.perToken)
  }
  return { loss, perToken: all }
}
