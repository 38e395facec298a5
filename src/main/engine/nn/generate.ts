/**
 * Free generation: one prefill over right-padded prompts, then cached decoding of the whole batch, each row stopping at
 * its own end-of-text token. Log-probabilities are always those at temperature 1, over the full vocabulary.
 */
import type { LearnedState } from '../checkpoint/learned-state.ts'
import { int64, type Tensors, tensor } from '../runtime/session.ts'
import { cachedDecoder, cacheNames } from './cached-decoder.ts'
import type { LearnedLayout, Model } from './model.ts'

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
  const results: Generated[] = []
  for (let start = 0; start < request.prompts.length; start += request.batch) {
    results.push(
      ...(await generateBatch(model, layout, state, request, request.prompts.slice(start, start + request.batch))),
    )
    await onRows?.(results.length)
  }
  return results
}

async function generateBatch(
  model: Model,
  layout: LearnedLayout,
  state: LearnedState | null,
  request: GenerationRequest,
  prompts: readonly (readonly number[])[],
): Promise<Generated[]> {
  const { batch, promptColumns, maxNewTokens } = request
  const capacity = promptColumns + maxNewTokens
  const learned = state === null ? {} : model.views(state, '')
  const cache = emptyCache(model, batch, capacity)
  const run = async (
    tokens: number,
    ids: readonly number[],
    lastIndex: readonly number[],
    gather: readonly number[],
  ) => {
    const { session, outputs } = await step(model, layout, { batch, tokens, capacity })
    const feeds = {
      ...learned,
      ...cache.past,
      input_ids: int64(ids, [batch, tokens]),
      last_index: tensor('int32', Int32Array.from(lastIndex), [batch]),
      total: tensor('int32', Int32Array.of(tokens > 1 ? tokens : Math.max(...lastIndex) + 1), []),
      gather: int64(gather, [batch]),
    }
    const results = await session.run(feeds, { ...cache.present, logits: outputs.logits! })
    return results.logits!.data as Float32Array
  }

  // Rows that only fill the batch hold one token and are finished from the start.
  const lengths = Array.from({ length: batch }, (_, b) => prompts[b]?.length ?? 1)
  const ids = new Array<number>(batch * promptColumns).fill(0)
  prompts.forEach((prompt, b) => {
    prompt.forEach((id, t) => {
      ids[b * promptColumns + t] = id
    })
  })
  const rows = prompts.map(() => ({
    tokenIds: [] as number[],
    logprobs: [] as number[],
    finishReason: undefined as Generated['finishReason'] | undefined,
  }))
  let logits = await run(
    promptColumns,
    ids,
    lengths.map((n) => n - 1),
    lengths.map((n, b) => b * promptColumns + n - 1),
  )
  const vocabulary = model.base.config.vocabSize
  for (let t = 0; ; t++) {
    const newest = new Array<number>(batch).fill(0)
    rows.forEach((row, b) => {
      if (row.finishReason !== undefined) return
      const scores = logits.subarray(b * vocabulary, (b + 1) * vocabulary)
      const { id, logprob } = choose(scores, request.choice)
      row.tokenIds.push(id)
      row.logprobs.push(logprob)
      newest[b] = id
      if (request.eosIds.includes(id)) row.finishReason = 'eos'
      else if (t + 1 === maxNewTokens) row.finishReason = 'length'
    })
    if (rows.every((row) => row.finishReason !== undefined)) break
    logits = await run(
      1,
      newest,
      lengths.map((n) => n + t),
      newest.map((_, b) => b),
    )
  }
  return rows.map((row) => ({ ...row, finishReason: row.finishReason! }))
}

function step(model: Model, layout: LearnedLayout, shape: { batch: number; tokens: number; capacity: number }) {
  const key = `cached ${shape.batch}x${shape.tokens}/${shape.capacity} ${layout.specs.length}/${layout.loraScale}/${layout.specs[0]?.shape}`
  return model.compile(key, (g) => {
    // A head is no part of generation; its tensors are not declared, so they are not fed either.
    cachedDecoder(g, model.base.config, model.parameters(g, layout), shape)
  })
}

/** Cache buffers, bound both as input and as output so that the kernel extends them in place. */
function emptyCache(model: Model, batch: number, capacity: number): { past: Tensors; present: Tensors } {
  const { kvHeads, headDim, layers } = model.base.config
  const past: Record<string, Tensors[string]> = {}
  const present: Record<string, Tensors[string]> = {}
  for (let layer = 0; layer < layers; layer++)
    for (const name of Object.values(cacheNames(layer))) {
      const buffer = tensor('float32', new Float32Array(batch * kvHeads * capacity * headDim), [
        batch,
        kvHeads,
        capacity,
        headDim,
      ])
      past[name] = buffer
      present[`present.${name}`] = buffer
    }
  return { past, present }
}

/** One token from one row of logits. */
function choose(logits: Float32Array, choice: Choice): { id: number; logprob: number } {
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
