/**
 * Rows laid out for the graphs. Prompts are padded on the left so that all end in the same column, responses on the
 * right: the hidden states that predict response tokens are then one slice for the whole batch, whatever the lengths.
 */
import { int64, type Tensor, tensor } from '../runtime/session.ts'

/** Static sizes of one compiled graph: B rows, P prompt columns, R response columns. */
export interface BatchShape {
  readonly batch: number
  readonly prompt: number
  readonly response: number
}

export interface TokenRow {
  readonly promptIds: readonly number[]
  readonly completionIds: readonly number[]
  /**
   * Which completion tokens are actions of the policy; absent: all. Observations of a multi-turn rollout stand in the
   * completion, are attended to, and neither trained nor read.
   */
  readonly actionMask?: readonly boolean[]
}

/** How many completion tokens are actions: all of a response, the policy's own of a conversation. */
export function activeTokens({ actionMask, completionIds }: TokenRow): number {
  return actionMask === undefined ? completionIds.length : actionMask.filter((isAction) => isAction).length
}

export interface Batch {
  readonly shape: BatchShape
  readonly rows: readonly TokenRow[]
  /** input_ids, attention_mask, position_ids [B, P+R]; targets [B·R]; response_mask [B, R]. */
  readonly feeds: Readonly<
    Record<'input_ids' | 'attention_mask' | 'position_ids' | 'targets' | 'response_mask', Tensor>
  >
}

const roundUp = (value: number, multiple: number) => Math.max(multiple, Math.ceil(value / multiple) * multiple)

/** Columns are rounded up so that a data set needs few compiled graphs. */
export const columnMultiple = 8

/** The smallest shape that takes every row, in batches of `batch`. */
export function shapeFor(rows: readonly TokenRow[], batch: number): BatchShape {
  const longest = (pick: (row: TokenRow) => readonly number[]) =>
    rows.reduce((n, row) => Math.max(n, pick(row).length), 1)
  return {
    batch,
    prompt: roundUp(
      longest((row) => row.promptIds),
      columnMultiple,
    ),
    response: roundUp(
      longest((row) => row.completionIds),
      columnMultiple,
    ),
  }
}

/** Lays out up to `shape.batch` rows; missing rows are all padding and contribute nothing. */
export function layOutBatch(rows: readonly TokenRow[], shape: BatchShape): Batch {
  const { batch, prompt, response } = shape
  if (rows.length > batch) throw new Error(`${rows.length} rows do not fit a batch of ${batch}`)
  const time = prompt + response
  const ids = new Array<number>(batch * time).fill(0)
  const positions = new Array<number>(batch * time).fill(0)
  const targets = new Array<number>(batch * response).fill(0)
  const attention = new Uint8Array(batch * time)
  const responseMask = new Uint8Array(batch * response)
  rows.forEach((row, b) => {
    if (row.promptIds.length < 1 || row.promptIds.length > prompt || row.completionIds.length > response)
      throw new Error(
        `a row of ${row.promptIds.length} + ${row.completionIds.length} tokens does not fit ${prompt} + ${response}`,
      )
    const start = b * time + prompt - row.promptIds.length
    const tokens = [...row.promptIds, ...row.completionIds]
    tokens.forEach((id, i) => {
      ids[start + i] = id
      positions[start + i] = i
      attention[start + i] = 1
    })
    row.completionIds.forEach((id, t) => {
      targets[b * response + t] = id
      responseMask[b * response + t] = row.actionMask === undefined || row.actionMask[t] === true ? 1 : 0
    })
  })
  return {
    shape,
    rows,
    feeds: {
      input_ids: int64(ids, [batch, time]),
      attention_mask: tensor('bool', attention, [batch, time]),
      position_ids: int64(positions, [batch, time]),
      targets: int64(targets, [batch * response]),
      response_mask: tensor('bool', responseMask, [batch, response]),
    },
  }
}

/** bool [B, R+1]: true at the column read after a row's last completion token; nowhere in a row without one. */
export function lastTokenMask({ rows, shape: { batch, response } }: Batch): Tensor {
  const width = response + 1
  const last = new Uint8Array(batch * width)
  rows.forEach(({ completionIds: { length } }, b) => {
    if (length > 0) last[b * width + length] = 1
  })
  return tensor('bool', last, [batch, width])
}

/** Per-token results [B, R] cut to each row's own response length. */
export function cutToRows(values: ArrayLike<number>, batch: Batch): number[][] {
  const { response } = batch.shape
  return batch.rows.map((row, b) =>
    Array.from({ length: row.completionIds.length }, (_, t) => values[b * response + t]!),
  )
}

/** A [B, R] float input from per-token values of each row; what lies behind a row's end is 0. */
export function perToken(values: readonly ArrayLike<number>[], { batch, response }: BatchShape): Tensor {
  const data = new Float32Array(batch * response)
  values.forEach((row, b) => {
    data.set(Array.from(row), b * response)
  })
  return tensor('float32', data, [batch, response])
}
