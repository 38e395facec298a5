/**
 * Free generation: one prefill over right-padded prompts, then cached decoding of the whole batch, each row stopping at
 * its own end-of-text token. Log-probabilities are always those at temperature 1, over the full vocabulary.
 */
import type { LearnedState } from '../checkpoint/learned-state.ts'
import { emptyTensor, int64, type Tensors, tensor } from '../runtime/session.ts'
import { cachedDecoder, cacheNames, extendsInPlace } from './cached-decoder.ts'
import type { LearnedLayout, Model, Numbers } from './model.ts'

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
  const buffers = emptyCaches(model, batch, capacity)
  const run = async (
    tokens: number,
    ids: readonly number[],
    lastIndex: readonly number[],
    gather: readonly number[],
  ) => {
    const { session, outputs } = await step(model, layout, { batch, tokens, capacity })
    const [past, present] = buffers
    const feeds = {
      ...learned,
      ...renamed(past, ''),
      input_ids: int64(ids, [batch, tokens]),
      last_index: tensor('int32', Int32Array.from(lastIndex), [batch]),
      ...(past === present && {
        total: tensor('int32', Int32Array.of(tokens > 1 ? tokens : Math.max(...lastIndex) + 1), []),
      }),
      gather: int64(gather, [batch]),
    }
    const results = await session.run(feeds, { ...renamed(present, 'present.'), logits: outputs.logits! })
    buffers.reverse()
    return results.logits!.data as Numbers
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

type Cache = ReadonlyMap<string, Tensors[string]>

/** Past and present cache: the same memory where the kernel extends it in place, else two that change places. */
function emptyCaches(model: Model, batch: number, capacity: number): [Cache, Cache] {
  const { kvHeads, headDim, layers } = model.base.config
  const names = Array.from({ length: layers }, (_, layer) => Object.values(cacheNames(layer))).flat()
  const empty = (): Cache =>
    new Map(names.map((name) => [name, emptyTensor(model.float, [batch, kvHeads, capacity, headDim])]))
  const past = empty()
  return [past, extendsInPlace(model, model.base.config) ? past : empty()]
}

function renamed(cache: Cache, prefix: string): Tensors {
  return Object.fromEntries(Array.from(cache, ([name, buffer]) => [prefix + name, buffer]))
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
