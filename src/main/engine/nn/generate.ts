/**
 * Free generation: one prefill over right-padded prompts, then cached decoding of the whole batch, each row stopping at
 * its own end-of-text token. Log-probabilities are always those at temperature 1, over the full vocabulary.
 */
import type { LearnedState } from '../checkpoint/learned-state.ts'
import type { Graph } from '../graph/graph.ts'
import { int64, type Session, type Tensors, tensor } from '../runtime/session.ts'
import { type Decoder, keyName, prefillGraph, stepGraph, valueName } from './cached-decoder.ts'
import { hiddenStates, MASKED_SCORE, type Parameters } from './decoder.ts'
import { type LearnedLayout, type Model, type Numbers, noAdapter } from './model.ts'
import { packable, packedHiddenStates, packWeights } from './packed-decoder.ts'

export interface GenerationRequest {
  readonly prompts: readonly (readonly number[])[]
  readonly maxNewTokens: number
  /** A row ends with the first of these; it is kept as the last token. Nothing is ever suppressed. */
  readonly eosIds: readonly number[]
  readonly choice: Choice
  /** Rows of the compiled graph; prompts are taken in groups of this size. */
  readonly batch: number
  /** Prompt columns; at least the longest prompt. */
  readonly promptColumns: number
}

/** Greedy takes the highest logit (the lowest id on a tie); sampling draws from softmax(logits / temperature). */
export type Choice =
  | { readonly kind: 'greedy' }
  /** `uniform` yields the next number in [0, 1); one is drawn per unfinished row and step, in row order. */
  | { readonly kind: 'sample'; readonly temperature: number; readonly uniform: () => number }

export interface Generated {
  readonly tokenIds: readonly number[]
  /** log softmax(logits)[token] at temperature 1, computed in float64 and rounded to float32. */
  readonly logprobs: readonly number[]
  readonly finishReason: 'eos' | 'length'
}

/** Throws where a logit is not finite: the fault is named, never sampled from. */
export async function generate(
  model: Model,
  layout: LearnedLayout,
  state: LearnedState | null,
  request: GenerationRequest,
  onRows?: (done: number) => void | Promise<void>,
): Promise<Generated[]> {
  const weights = packable(model)
    ? await packWeights(model, layout, state)
    : state === null
      ? {}
      : model.views(state, '')
  const results: Generated[] = []
  for (let start = 0; start < request.prompts.length; start += request.batch) {
    const decoder = new CachedDecoder(model, layout, weights, request)
    results.push(...(await decodeRows(decoder, request, request.prompts.slice(start, start + request.batch))))
    await onRows?.(results.length)
  }
  return results
}

interface Row {
  readonly tokenIds: number[]
  readonly logprobs: number[]
  finishReason?: Generated['finishReason']
}

async function decodeRows(
  decoder: CachedDecoder,
  { maxNewTokens, eosIds, choice }: GenerationRequest,
  prompts: readonly (readonly number[])[],
): Promise<Generated[]> {
  const rows = prompts.map((): Row => ({ tokenIds: [], logprobs: [] }))
  let logits = await decoder.prefill(prompts)
  for (let t = 0; ; t++) {
    rows.forEach((row, b) => {
      if (row.finishReason !== undefined) return
      const { id, logprob } = choose(logits(b), choice)
      row.tokenIds.push(id)
      row.logprobs.push(logprob)
      if (eosIds.includes(id)) row.finishReason = 'eos'
      else if (t + 1 === maxNewTokens) row.finishReason = 'length'
    })
    if (rows.every((row) => row.finishReason !== undefined)) break
    // A finished row goes on with a token that nothing reads.
    logits = await decoder.step(rows.map((row) => (row.finishReason === undefined ? row.tokenIds.at(-1)! : 0)))
  }
  return rows.map((row) => ({ ...row, finishReason: row.finishReason! }))
}

/** Logits of one row, [V]. */
type RowLogits = (row: number) => Numbers

/** The keys and values of one batch of rows, and the graphs that read and extend them. */
class CachedDecoder {
  private readonly model: Model
  private readonly layout: LearnedLayout
  private readonly weights: Tensors
  private readonly batch: number
  private readonly prompt: number
  private readonly capacity: number
  private readonly cache: Tensors
  private readonly mask: Numbers
  /** Tokens of each row so far; rows that only fill the batch hold one. */
  private lengths: number[] = []

  constructor(
    model: Model,
    layout: LearnedLayout,
    weights: Tensors,
    { batch, promptColumns, maxNewTokens }: GenerationRequest,
  ) {
    this.model = model
    this.layout = layout
    this.weights = weights
    this.batch = batch
    this.prompt = promptColumns
    this.capacity = promptColumns + maxNewTokens
    const { layers, kvHeads, headDim } = model.base.config
    const names = Array.from({ length: layers }, (_, layer) => [keyName(layer), valueName(layer)]).flat()
    const size = [batch, kvHeads, this.capacity, headDim]
    this.cache = Object.fromEntries(
      names.map((name) => [name, model.floatTensor(batch * kvHeads * this.capacity * headDim, size)]),
    )
    this.mask = model.floatArray(batch * (this.capacity + 1)).fill(MASKED_SCORE)
    for (let b = 0; b < batch; b++) this.mask[b * (this.capacity + 1) + this.capacity] = 0
  }

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
    this.keep(results, (b) => ({ from: 0, count: this.lengths[b]! }), prompt)
    return this.rowsOf(results)
  }

  /** One more token a row. */
  async step(newest: readonly number[]): Promise<RowLogits> {
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
      position_ids: int64(this.lengths, [batch, 1]),
    })
    this.keep(results, (b) => ({ from: this.lengths[b]!, count: 1 }), 1)
    this.lengths = this.lengths.map((length) => length + 1)
    return this.rowsOf(results)
  }

  /** Puts new keys and values, [B, kvHeads, columns, D], into their places and opens those to later tokens. */
  private keep(results: Tensors, place: (row: number) => { from: number; count: number }, columns: number): void {
    const { kvHeads, headDim } = this.model.base.config
    for (const [name, { data }] of Object.entries(this.cache)) {
      const fresh = results[`new.${name}`]!.data as Numbers
      for (let b = 0; b < this.batch; b++) {
        const { from, count } = place(b)
        for (let head = b * kvHeads; head < (b + 1) * kvHeads; head++) {
          const start = head * columns * headDim
          ;(data as Numbers).set(
            fresh.subarray(start, start + count * headDim),
            (head * this.capacity + from) * headDim,
          )
        }
      }
    }
    for (let b = 0; b < this.batch; b++) {
      const { from, count } = place(b)
      this.mask.fill(0, b * (this.capacity + 1) + from, b * (this.capacity + 1) + from + count)
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

/** One token from one row of logits. */
function choose(logits: Numbers, choice: Choice): { id: number; logprob: number } {
  let best = 0
  for (let id = 1; id < logits.length; id++) if (logits[id]! > logits[best]!) best = id
  const top = logits[best]!
  let total = 0
  for (let id = 0; id < logits.length; id++) total += Math.exp(logits[id]! - top)
  if (!Number.isFinite(total)) throw new Error('generation stopped: the logits are not finite')
  const logprob = (id: number) => Math.fround(logits[id]! - top - Math.log(total))
  if (choice.kind === 'greedy') return { id: best, logprob: logprob(best) }
  const { temperature, uniform } = choice
  let mass = total
  if (temperature !== 1) {
    mass = 0
    for (let id = 0; id < logits.length; id++) mass += Math.exp((logits[id]! - top) / temperature)
  }
  let rest = uniform() * mass
  let id = 0
  for (; id < logits.length - 1; id++) {
    rest -= Math.exp((logits[id]! - top) / temperature)
    if (rest < 0) break
  }
  return { id, logprob: logprob(id) }
}
