/**
 * What directional credit needs of the policy's distributions, taken while they are at hand: the moments Σ p E and Σ p² E
 * of the embeddings at every sampled token. The reward's gradient comes later; the credit is then an inner product with
 * it, and the policy is not run a second time.
 *
 * With g̃ the gradient at a token: ā = ⟨g̃, Σ p E⟩ and Σ p r = ⟨g̃, Σ p² E⟩ − ā Σ p².
 */
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { required } from '../../nn/decoder.ts'
import { type Model, type Numbers, noAdapter } from '../../nn/model.ts'
import { int64 } from '../../runtime/session.ts'
import type { VocabularySums } from './directional-credit.ts'

/** At one sampled token. */
export interface PolicyMoments {
  readonly id: number
  /** p(id). */
  readonly probability: number
  /** Σ p². */
  readonly concentration: number
  /** Σ p E, [H]. */
  readonly first: Float32Array
  /** Σ p² E, [H]. */
  readonly second: Float32Array
}

/** Of the action tokens of each rollout, in order, by the very object that its source returned. */
export type Moments = WeakMap<Trajectory, readonly PolicyMoments[]>

/** What of `VocabularySums` follows from moments and a gradient. */
export type CreditSums = Omit<VocabularySums, 'square'>

/** @param embedding E[id]; all in float64 */
export function sumsFromMoments(
  moments: PolicyMoments,
  gradient: ArrayLike<number>,
  embedding: ArrayLike<number>,
): CreditSums {
  const { probability, concentration, first, second } = moments
  let [slope, mean, secondMoment] = [0, 0, 0]
  for (let h = 0; h < first.length; h++) {
    slope += gradient[h]! * embedding[h]!
    mean += gradient[h]! * first[h]!
    secondMoment += gradient[h]! * second[h]!
  }
  return {
    probability,
    concentration,
    centredSlope: slope - mean,
    mean: secondMoment - mean * concentration,
  }
}

/** Tokens of one pass: enough to keep the product busy, and a large vocabulary's logits small in memory. */
const MOST_TOKENS = 256
const MOST_LOGITS = 16e6

/** Gathers logits while responses are decoded, and reduces them many tokens at a time. */
export class MomentCollector {
  private readonly model: Model
  private readonly size: number
  private readonly logits: Numbers
  private readonly waiting: { response: number; id: number }[] = []
  private readonly collected: PolicyMoments[][]

  constructor(model: Model, responses: number) {
    const { vocabSize } = model.base.config
    this.model = model
    this.size = Math.max(1, Math.min(MOST_TOKENS, Math.floor(MOST_LOGITS / vocabSize)))
    this.logits = model.floatArray(this.size * vocabSize)
    this.collected = Array.from({ length: responses }, () => [])
  }

  /** As `GenerationRequest.onChoice` wants it. */
  readonly note = (response: number, id: number, logits: Numbers): Promise<void> | undefined => {
    this.logits.set(logits, this.waiting.length * logits.length)
    this.waiting.push({ response, id })
    return this.waiting.length === this.size ? this.reduce() : undefined
  }

  /** One list a response, one entry a token. */
  async finish(): Promise<readonly (readonly PolicyMoments[])[]> {
    if (this.waiting.length > 0) await this.reduce()
    return this.collected
  }

  private async reduce(): Promise<void> {
    const { model, size, waiting } = this
    const { vocabSize, hiddenSize } = model.base.config
    const session = await model.compile(`policy moments ${size}`, (g) => {
      const { raw } = g
      const table = required(model.parameters(g, noAdapter), 'model.embed_tokens.weight')
      const p = g.softmax(g.input('logits', [size, vocabSize]))
      const squares = raw.mul(p, p)
      const column = raw.reshape(g.input('ids', [size], 'int64'), [size, 1])
      g.output('probability', raw.one('GatherElements', [p, column], [size, 1], { axis: { int: 1 } }))
      g.output('concentration', raw.reduceSum(squares, [-1], true))
      g.output('first', raw.gemm(p, table))
      g.output('second', raw.gemm(squares, table))
    })
    const ids = Array.from({ length: size }, (_, i) => waiting[i]?.id ?? 0)
    const results = await session.run({
      logits: model.floatTensor(this.logits, [size, vocabSize]),
      ids: int64(ids, [size]),
    })
    const numbers = (name: string) => results[name]!.data as Numbers
    const state = (name: string, i: number) =>
      Float32Array.from(numbers(name).subarray(i * hiddenSize, (i + 1) * hiddenSize))
    waiting.forEach(({ response, id }, i) => {
      this.collected[response]!.push({
        id,
        probability: numbers('probability')[i]!,
        concentration: numbers('concentration')[i]!,
        first: state('first', i),
        second: state('second', i),
      })
    })
    waiting.length = 0
  }
}
