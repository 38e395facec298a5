/**
 * Keys and values of one batch of rows while they are decoded, and the graphs that read and extend them: prompts at first,
 * then one token a row at a time, or several at once where the tokens are given (an observation). Chooses no token.
 */
import type { LearnedState } from '../checkpoint/learned-state.ts'
import type { Graph } from '../graph/graph.ts'
import { int64, type Session, type Tensors, tensor } from '../runtime/session.ts'
import { type Decoder, extendGraph, keyName, prefillGraph, stepGraph, valueName } from './cached-decoder.ts'
import { hiddenStates, MASKED_SCORE, type Parameters } from './decoder.ts'
import { type LearnedLayout, type Model, type Numbers, noAdapter } from './model.ts'
import { packable, packedHiddenStates, packWeights } from './packed-decoder.ts'

/** What every decoding graph of one learned state takes besides tokens: packed matrices, or the state itself. */
export async function decodingWeights(
  model: Model,
  layout: LearnedLayout,
  state: LearnedState | null,
): Promise<Tensors> {
  if (packable(model)) return packWeights(model, layout, state)
  return state === null ? {} : model.views(state, '')
}

/** Logits of one row, [V]; valid until the decoder runs again. */
export type RowLogits = (row: number) => Numbers

export interface DecodingShape {
  /** Rows of the compiled graphs. */
  readonly batch: number
  /** Columns of the prefill; at least the longest prompt. */
  readonly promptColumns: number
  /** Places for keys and values at the start; `reserve` adds more. */
  readonly capacity: number
}

export class DecodingRows {
  private readonly model: Model
  private readonly layout: LearnedLayout
  private readonly weights: Tensors
  private readonly batch: number
  private readonly prompt: number
  private capacity = 0
  private cache: Tensors = {}
  /** [batch, capacity + 1]: 0 where the cache holds a token and at the new token, `MASKED_SCORE` elsewhere. */
  private mask: Numbers
  /** Tokens of each row so far; rows that only fill the batch hold one. */
  private lengths: number[] = []

  constructor(
    model: Model,
    layout: LearnedLayout,
    weights: Tensors,
    { batch, promptColumns, capacity }: DecodingShape,
  ) {
    this.model = model
    this.layout = layout
    this.weights = weights
    this.batch = batch
    this.prompt = promptColumns
    this.mask = model.floatArray(0)
    this.reserve(Math.max(capacity, promptColumns))
  }

  /** Makes room for rows of up to `capacity` tokens; what the cache holds stays. */
  reserve(capacity: number): void {
    if (capacity <= this.capacity) return
    const { batch, model } = this
    const { layers, kvHeads, headDim } = model.base.config
    const old = { cache: this.cache, mask: this.mask, capacity: this.capacity }
    const names = Array.from({ length: layers }, (_, layer) => [keyName(layer), valueName(layer)]).flat()
    const size = [batch, kvHeads, capacity, headDim]
    this.cache = Object.fromEntries(
      names.map((name) => {
        const numbers = model.floatArray(batch * kvHeads * capacity * headDim)
        const before = old.cache[name]?.data as Numbers | undefined
        for (let head = 0; before !== undefined && head < batch * kvHeads; head++)
          numbers.set(
            before.subarray(head * old.capacity * headDim, (head + 1) * old.capacity * headDim),
            head * capacity * headDim,
          )
        return [name, model.floatTensor(numbers, size)]
      }),
    )
    this.mask = model.floatArray(batch * (capacity + 1)).fill(MASKED_SCORE)
    for (let b = 0; b < batch; b++) {
      const from = b * (old.capacity + 1)
      if (old.capacity > 0) this.mask.set(old.mask.subarray(from, from + old.capacity), b * (capacity + 1))
      this.mask[b * (capacity + 1) + capacity] = 0
    }
    this.capacity = capacity
  }

  /** Reads whole prompts; logits are those after each row's last token. */
  async prefill(prompts: readonly (readonly number[])[]): Promise<RowLogits> {
    const { batch, prompt } = this
    const session = await this.session(`prefill ${batch}x${prompt}`, (g, parameters, decoder) =>
      prefillGraph(g, this.model.base.config, parameters, { batch, prompt }, decoder),
    )
    const ids = new Array<number>(batch * prompt).fill(0)
    const attention = new Uint8Array(batch * prompt)
    this.lengths = Array.from({ length: batch }, (_, b) => prompts[b]?.length ?? 1)
    prompts.forEach((tokens, b) => {
      tokens.forEach((id, t) => {
        ids[b * prompt + t] = id
      })
    })
    this.lengths.forEach((length, b) => {
      attention.fill(1, b * prompt, b * prompt + length)
    })
    const results = await session.run({
      ...this.weights,
      input_ids: int64(ids, [batch, prompt]),
      attention_mask: tensor('bool', attention, [batch, prompt]),
      position_ids: int64(
        ids.map((_, k) => k % prompt),
        [batch, prompt],
      ),
      gather: int64(
        this.lengths.map((length, b) => b * prompt + length - 1),
        [batch],
      ),
    })
    this.keep(results, prompt, (b) => ({ from: 0, count: this.lengths[b]! }))
    return this.rowsOf(results)
  }

  /** One more token for every row that has one; a row with null stays as it is, and its logits mean nothing. */
  async step(newest: readonly (number | null)[]): Promise<RowLogits> {
    const { batch, capacity } = this
    const session = await this.session(
      `step ${batch}/${capacity}`,
      (g, parameters, decoder) => stepGraph(g, this.model.base.config, parameters, { batch, capacity }, decoder),
      // The products of a small model's step are over before a second thread has woken.
      1,
    )
    const ids = Array.from({ length: batch }, (_, b) => newest[b] ?? 0)
    const results = await session.run({
      ...this.weights,
      ...this.cache,
      mask: this.model.floatTensor(this.mask, [batch, 1, 1, capacity + 1]),
      input_ids: int64(ids, [batch, 1]),
      // A row that stays may be full: the place of its unused token only has to exist.
      position_ids: int64(
        this.lengths.map((length) => Math.min(length, capacity - 1)),
        [batch, 1],
      ),
    })
    this.keep(results, 1, (b) => ({ from: this.lengths[b]!, count: newest[b] == null ? 0 : 1 }))
    return this.rowsOf(results)
  }

  /**
   * Several given tokens for every row that has some: an observation, read in one pass like a prompt. `columns` is at least
   * the longest of them. Logits are those after each row's last given token; a row with none stays as it is.
   */
  async extend(given: readonly (readonly number[])[], columns: number): Promise<RowLogits> {
    const { batch, capacity } = this
    const shape = { batch, columns, capacity }
    const session = await this.session(`extend ${batch}x${columns}/${capacity}`, (g, parameters, decoder) =>
      extendGraph(g, this.model.base.config, parameters, shape, decoder),
    )
    const ids = new Array<number>(batch * columns).fill(0)
    const counts = Array.from({ length: batch }, (_, b) => given[b]?.length ?? 0)
    given.forEach((tokens, b) => {
      tokens.forEach((id, t) => {
        ids[b * columns + t] = id
      })
    })
    const stored = this.model.floatArray(batch * capacity)
    for (let b = 0; b < batch; b++) {
      const from = b * (capacity + 1)
      stored.set(this.mask.subarray(from, from + capacity), b * capacity)
    }
    const results = await session.run({
      ...this.weights,
      ...this.cache,
      mask: this.model.floatTensor(stored, [batch, 1, 1, capacity]),
      input_ids: int64(ids, [batch, columns]),
      position_ids: int64(
        ids.map((_, k) => Math.min(this.lengths[Math.floor(k / columns)]! + (k % columns), capacity - 1)),
        [batch, columns],
      ),
      gather: int64(
        counts.map((count, b) => b * columns + Math.max(0, count - 1)),
        [batch],
      ),
    })
    this.keep(results, columns, (b) => ({ from: this.lengths[b]!, count: counts[b]! }))
    return this.rowsOf(results)
  }

  /** Puts new keys and values, [B, kvHeads, columns, D], into their places and opens those to later tokens. */
  private keep(results: Tensors, columns: number, place: (row: number) => { from: number; count: number }): void {
    const { kvHeads, headDim } = this.model.base.config
    const places = Array.from({ length: this.batch }, (_, b) => place(b))
    for (const { from, count } of places)
      if (from + count > this.capacity)
        throw new RangeError(`${from + count} tokens do not fit a cache of ${this.capacity}`)
    for (const [name, { data }] of Object.entries(this.cache)) {
      const fresh = results[`new.${name}`]!.data as Numbers
      for (const [b, { from, count }] of places.entries()) {
        for (let head = b * kvHeads; count > 0 && head < (b + 1) * kvHeads; head++) {
          const start = head * columns * headDim
          ;(data as Numbers).set(
            fresh.subarray(start, start + count * headDim),
            (head * this.capacity + from) * headDim,
          )
        }
      }
    }
    for (const [b, { from, count }] of places.entries()) {
      this.mask.fill(0, b * (this.capacity + 1) + from, b * (this.capacity + 1) + from + count)
      this.lengths[b] = from + count
    }
  }

  private session(
    name: string,
    build: (g: Graph, parameters: Parameters, decoder: Decoder) => void,
    threadsWhenSmall = this.model.device.threads,
  ): Promise<Session> {
    const { layout, model } = this
    // Packed matrices hold the adapter already, so their graphs serve any.
    if (packable(model))
      return model.compile(
        `${name} packed`,
        (g) => build(g, model.parameters(g, noAdapter), packedHiddenStates),
        threadsWhenSmall,
      )
    const key = `${name} ${layout.specs.length}/${layout.loraScale}/${layout.specs[0]?.shape}`
    return model.compile(key, (g) => build(g, model.parameters(g, layout), hiddenStates))
  }

  private rowsOf(results: Tensors): RowLogits {
    const logits = results.logits!.data as Numbers
    const { vocabSize } = this.model.base.config
    return (row) => logits.subarray(row * vocabSize, (row + 1) * vocabSize)
  }
}
