/**
 * Free generation: one prefill over right-padded prompts, then cached decoding of the whole batch, each row stopping at
 * its own end-of-text token. Log-probabilities are always those at temperature 1, over the full vocabulary.
 */
import type { LearnedState } from '../checkpoint/learned-state.ts'
import { DecodingRows, decodingWeights } from './decoding-rows.ts'
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
  /** Told of every token chosen, with the logits [V] it was chosen from: valid during the call only. */
  readonly onChoice?: (prompt: number, id: number, logits: Numbers) => Promise<void> | undefined
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
  const weights = await decodingWeights(model, layout, state)
  const results: Generated[] = []
  for (let start = 0; start < request.prompts.length; start += request.batch) {
    const decoder = new DecodingRows(model, layout, weights, {
      batch: request.batch,
      promptColumns: request.promptColumns,
      capacity: request.promptColumns + request.maxNewTokens,
    })
    results.push(...(await decodeRows(decoder, request, start)))
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
  decoder: DecodingRows,
  { prompts: all, batch, maxNewTokens, eosIds, choice, onChoice }: GenerationRequest,
  start: number,
): Promise<Generated[]> {
  const prompts = all.slice(start, start + batch)
  const rows = prompts.map((): Row => ({ tokenIds: [], logprobs: [] }))
  let logits = await decoder.prefill(prompts)
  for (let t = 0; ; t++) {
    for (const [b, row] of rows.entries()) {
      if (row.finishReason !== undefined) continue
      const { id, logprob } = choose(logits(b), choice)
      const noted = onChoice?.(start + b, id, logits(b))
      if (noted !== undefined) await noted
      row.tokenIds.push(id)
      row.logprobs.push(logprob)
      if (eosIds.includes(id)) row.finishReason = 'eos'
      else if (t + 1 === maxNewTokens) row.finishReason = 'length'
    }
    if (rows.every((row) => row.finishReason !== undefined)) break
    logits = await decoder.step(rows.map((row) => (row.finishReason === undefined ? row.tokenIds.at(-1)! : null)))
  }
  return rows.map((row) => ({ ...row, finishReason: row.finishReason! }))
}

/** One token from one row of logits. */
export function choose(logits: Numbers, choice: Choice): { id: number; logprob: number } {
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
