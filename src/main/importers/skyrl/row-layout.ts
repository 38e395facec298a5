/** One row of a SkyRL batch: its prompt, and its response cut where the trained tokens begin and end. Places, no numbers. */
import { BadInput } from '../../../shared/bad-input.ts'
import { rowOf } from './tensor.ts'
import type { BatchField, TrainingBatch } from './training-batch.ts'

export interface Segment {
  /** Trained tokens are actions, all others observations. */
  readonly trained: boolean
  /** First place and the place after the last, in the response's columns. */
  readonly from: number
  readonly to: number
}

export interface RowLayout {
  readonly prompt: readonly number[]
  /** Token ids by response column; columns outside the response are not tokens of it. */
  readonly column: (place: number) => number
  /** By column: whether it belongs to the response. */
  readonly response: readonly boolean[]
  readonly segments: readonly Segment[]
}

export function fieldRow(field: BatchField, row: number): number[] {
  return 'shape' in field ? rowOf(field, row) : rowOfWhole(field[row]!)
}

const rowOfWhole = (tensor: Exclude<BatchField, readonly unknown[]>) =>
  rowOf({ ...tensor, shape: [1, ...tensor.shape] }, 0)

/**
 * `sequences` holds prompt and response, the response in its last columns. Both the layout with one block padded on the
 * left and the older one, prompt padded left and response right, are read: the masks say what is a token.
 */
export function rowLayout(file: string, batch: TrainingBatch, row: number): RowLayout {
  const where = `row ${row}`
  const read = (name: string): number[] => {
    const field = batch.fields.get(name)
    if (field === undefined || field === null)
      throw new BadInput(file, `is not a SkyRL dump of rollouts: it has no ${name}`)
    return fieldRow(field, row)
  }
  const [sequence, attended, responseMask] = [read('sequences'), read('attention_mask'), read('response_mask')]
  const offset = sequence.length - responseMask.length
  if (attended.length !== sequence.length || offset < 0)
    throw new BadInput(
      file,
      `has ${sequence.length} sequences, ${attended.length} attention_mask and ${responseMask.length} response_mask columns`,
      where,
    )
  const from = responseMask.findIndex((mask) => mask !== 0)
  const to = responseMask.findLastIndex((mask) => mask !== 0) + 1
  const isToken = (place: number) => attended[offset + place] !== 0
  const response = responseMask.map((_, place) => from !== -1 && place >= from && place < to && isToken(place))
  if (responseMask.some((mask, place) => mask !== 0 && !isToken(place)))
    throw new BadInput(file, 'response_mask covers a place that attention_mask leaves out', where)
  const begin = from === -1 ? sequence.length : offset + from
  if (from !== -1 && attended.slice(offset + to).some((mask) => mask !== 0))
    throw new BadInput(file, 'attention_mask covers tokens after the response', where)
  for (const [column, id] of sequence.entries()) {
    if (attended[column] !== 0 && (!Number.isSafeInteger(id) || id < 0))
      throw new BadInput(file, `holds the impossible token id ${id}`, `${where}, column ${column}`)
  }
  return {
    prompt: sequence.filter((_, column) => column < begin && attended[column] !== 0),
    column: (place) => sequence[offset + place]!,
    response,
    segments: segmentsOf(response, lossMask(file, batch, row, responseMask.length)),
  }
}

/** Null where the dump has none: then every token of the response was trained. */
function lossMask(file: string, batch: TrainingBatch, row: number, columns: number): readonly number[] | null {
  const field = batch.fields.get('loss_mask') ?? null
  if (field === null) return null
  const mask = fieldRow(field, row)
  if (mask.length !== columns)
    throw new BadInput(file, `has ${mask.length} loss_mask and ${columns} response_mask columns`, `row ${row}`)
  return mask
}

/** Runs of trained and of other tokens. Places between them that are no tokens join nothing. */
function segmentsOf(response: readonly boolean[], lossMask: readonly number[] | null): Segment[] {
  const segments: Segment[] = []
  for (const [place, isToken] of response.entries()) {
    if (!isToken) continue
    const trained = lossMask === null || (lossMask[place] !== 0 && !Number.isNaN(lossMask[place]))
    const last = segments.at(-1)
    if (last !== undefined && last.trained === trained && last.to === place)
      segments[segments.length - 1] = { ...last, to: place + 1 }
    else segments.push({ trained, from: place, to: place + 1 })
  }
  return segments
}
