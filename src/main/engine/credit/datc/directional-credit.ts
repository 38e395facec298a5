/**
 * Directional credit of one sampled token: the work of pushing its log-probability up along the reward's ascent
 * direction in the policy's logits. Pure arithmetic on five sums over the vocabulary; where they come from is
 * `vocabulary-sums.ts`'s.
 *
 * With p the policy's distribution at the position, a(v) = ⟨g̃, E[v]⟩ the reward's slope towards candidate v and
 * ā = Σ_v p(v) a(v), the reward direction in logits is r(v) = p(v)(a(v) − ā), and for the sampled token y
 *
 *     d = ⟨r, onehot(y) − p⟩ = r(y) − Σ_v p(v) r(v)
 */

export interface VocabularySums {
  /** p(y). */
  readonly probability: number
  /** a(y) − ā. */
  readonly centredSlope: number
  /** Σ p r. */
  readonly mean: number
  /** Σ r². */
  readonly square: number
  /** Σ p². */
  readonly concentration: number
}

export interface DirectionalCredit {
  /** d. */
  readonly credit: number
  /** ‖r‖. */
  readonly rewardNorm: number
  /** ‖onehot(y) − p‖ = √(1 − 2 p(y) + Σ p²). */
  readonly scoreNorm: number
  /** d / (‖r‖ ‖onehot(y) − p‖); 0 where either vector is. */
  readonly cosine: number
}

/** d alone. */
export function creditOf({
  probability,
  centredSlope,
  mean,
}: Omit<VocabularySums, 'square' | 'concentration'>): number {
  return probability * centredSlope - mean
}

export function directionalCredit(sums: VocabularySums): DirectionalCredit {
  const credit = creditOf(sums)
  const rewardNorm = Math.sqrt(sums.square)
  // (1 − p(y))² + Σ_{v≠y} p(v)² has no cancellation where p(y) is near 1.
  const others = Math.max(0, sums.concentration - sums.probability ** 2)
  const scoreNorm = Math.sqrt((1 - sums.probability) ** 2 + others)
  const product = rewardNorm * scoreNorm
  return { credit, rewardNorm, scoreNorm, cosine: product === 0 ? 0 : credit / product }
}
