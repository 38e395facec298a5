/** Forward readings of many rows in fixed-shape batches: token log-probabilities, values, scores. */
import { type BatchShape, cutToRows, layOutBatch, type TokenRow } from '../nn/batch.ts'
import type { Model } from '../nn/model.ts'
import { noAdapter } from '../nn/model.ts'
import { logProbObjective, valuesObjective } from '../nn/objectives.ts'
import { NonFinite } from '../optim/non-finite.ts'
import type { Role } from './role.ts'

/** Called between batches with the number of rows done, so that a long reading can report and yield. */
export type OnRows = (done: number) => void | Promise<void>

async function readRows<T>(
  rows: readonly TokenRow[],
  shape: BatchShape,
  read: (batch: ReturnType<typeof layOutBatch>) => Promise<T[]>,
  onRows?: OnRows,
): Promise<T[]> {
  const results: T[] = []
  for (let start = 0; start < rows.length; start += shape.batch) {
    results.push(...(await read(layOutBatch(rows.slice(start, start + shape.batch), shape))))
    await onRows?.(results.length)
  }
  return results
}

/** log π(token | prefix) of every response token, one array a row. `role` null is the base alone. */
export function tokenLogProbs(
  model: Model,
  role: Role | null,
  rows: readonly TokenRow[],
  shape: BatchShape,
  onRows?: OnRows,
): Promise<number[][]> {
  return readRows(
    rows,
    shape,
    async (batch) => {
      const { log_probs } = await model.evaluate(
        'log-probs',
        logProbObjective,
        role?.layout ?? noAdapter,
        role?.state ?? null,
        batch,
      )
      const values = cutToRows(log_probs!, batch)
      requireFinite('log-probabilities', values)
      return values
    },
    onRows,
  )
}

/** Head values on the prefix before each response token, then after the last: R_i + 1 numbers a row. */
export function prefixValues(
  model: Model,
  role: Role,
  rows: readonly TokenRow[],
  shape: BatchShape,
  onRows?: OnRows,
): Promise<number[][]> {
  return readRows(
    rows,
    shape,
    async (batch) => {
      const { values } = await model.evaluate('values', valuesObjective, role.layout, role.state, batch)
      const width = batch.shape.response + 1
      const cut = batch.rows.map((row, b) =>
        Array.from(values!.subarray(b * width, b * width + row.completionIds.length + 1)),
      )
      requireFinite('values', cut)
      return cut
    },
    onRows,
  )
}

/** The reward model's score: its value at the last response token, wherever padding lies. */
export async function rewardScores(
  model: Model,
  role: Role,
  rows: readonly TokenRow[],
  shape: BatchShape,
  onRows?: OnRows,
): Promise<number[]> {
  return (await prefixValues(model, role, rows, shape, onRows)).map((values) => values.at(-1)!)
}

function requireFinite(what: string, rows: readonly (readonly number[])[]): void {
  rows.forEach((row, i) => {
    const at = row.findIndex((value) => !Number.isFinite(value))
    if (at !== -1) throw new NonFinite(what, at, row[at]!, `row ${i} of the batch, token ${at}`)
  })
}
