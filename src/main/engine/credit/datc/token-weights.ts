/**
 * Direction-aware token credit of one response: utilities A·d, their allocation, and the two ablations. Numbers only;
 * the models that gave d are `credit-of-rollouts.ts`'s.
 */
import { allocate } from './allocation.ts'
import type { DirectionalCredit } from './directional-credit.ts'

/**
 * `no-angle` replaces d by ‖r‖‖onehot − p‖, as if both directions agreed; `shuffled` gives the full method's weights to
 * other content tokens of the same response.
 */
export const ablations = ['none', 'no-angle', 'shuffled'] as const
export type Ablation = (typeof ablations)[number]

export interface TokenWeights {
  readonly utilities: readonly number[]
  readonly temperature: number
  readonly weights: readonly number[]
  /** Σ w A·credit over the content: the reward's first-order gain in independent logits, up to the step's length. */
  readonly predictedGain: number
  /** The same with all weights 1. */
  readonly predictedGainUniform: number
}

export interface WeightSettings {
  /** λ: weights lie in [1/λ, λ]. */
  readonly maxWeight: number
  readonly ablation: Ablation
}

/** What utilities are made of: d, or the norms alone where the angle is left out. */
export function creditsFor(directions: readonly DirectionalCredit[], ablation: Ablation): number[] {
  return directions.map(({ credit, rewardNorm, scoreNorm }) =>
    ablation === 'no-angle' ? rewardNorm * scoreNorm : credit,
  )
}

/**
 * @param credit one number a token, as `creditsFor` gives them
 * @param advantage A of the whole response
 * @param content which tokens are content; the others keep weight 1
 * @param permutation of the content tokens, for `shuffled`: place i takes the weight of place permutation[i]
 */
export function tokenWeights(
  credit: readonly number[],
  advantage: number,
  content: readonly boolean[],
  { maxWeight, ablation }: WeightSettings,
  permutation?: readonly number[],
): TokenWeights {
  const allocation = allocate(
    credit.map((d) => advantage * d),
    content,
    maxWeight,
  )
  const weights = ablation === 'shuffled' ? permuted(allocation.weights, content, permutation) : allocation.weights
  const gain = (weightOf: (t: number) => number) =>
    credit.reduce((sum, d, t) => (content[t] === true ? sum + weightOf(t) * advantage * d : sum), 0)
  return {
    utilities: allocation.utilities,
    temperature: allocation.temperature,
    weights,
    predictedGain: gain((t) => weights[t]!),
    predictedGainUniform: gain(() => 1),
  }
}

function permuted(
  weights: readonly number[],
  content: readonly boolean[],
  permutation: readonly number[] | undefined,
): number[] {
  const places = weights.flatMap((_, t) => (content[t] === true ? [t] : []))
  if (permutation === undefined || permutation.length !== places.length)
    throw new Error(`shuffled weights need a permutation of ${places.length} content tokens`)
  const shuffled = [...weights]
  places.forEach((t, i) => {
    shuffled[t] = weights[places[permutation[i]!]!]!
  })
  return shuffled
}
