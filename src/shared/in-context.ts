/** What scored examples in a prompt do to the next token: what `credit in-context` prints. Logarithms are natural. */

/** How far apart two next-token distributions p and q are. */
export interface DistributionShift {
  /** KL(p‖q) and KL(q‖p), nats. */
  readonly kl: number
  readonly kl_reverse: number
  readonly total_variation: number
  /** max Δ − min Δ over the vocabulary, Δ = log p − log q. */
  readonly log_ratio_range: number
  /** range² / 8: no less than either divergence, whatever Δ is. */
  readonly kl_bound: number
  /** √(least KL / 2): no less than the total variation (Pinsker). */
  readonly pinsker_bound: number
}

/** One layer at the last position of the prompt. */
export interface InContextLayer {
  /** As in the checkpoint's `model.layers.N`. */
  readonly layer: number
  /** Attention on the examples, over heads. */
  readonly mass_mean: number
  readonly mass_max: number
  /** ‖o‖ over all heads side by side, o the attention's output before its projection. */
  readonly output_norm: number
  /** ‖o − o′‖, o′ the output of the same inputs without the examples; null where nothing else was attended to. */
  readonly update_norm: number | null
  /** √Σ_h (α_h · max_j ‖v_j − o′_h‖)²: no less than the update. */
  readonly update_bound: number | null
  /** KL(p‖q_l), q_l the distribution where this layer alone does not see the examples. */
  readonly kl_alone: number
}

export interface InContextExample {
  readonly score: number
  readonly tokens: number
  /** Attention of the last position on its tokens, and on those of its score alone; mean over layers and heads. */
  readonly mass: number
  readonly score_mass: number
}

export interface ChangedToken {
  readonly id: number
  readonly text: string
  readonly with: number
  readonly without: number
}

/** The same texts with their scores in another order. */
export interface ScoreControl {
  /** `reversed`, or `shifted` by one place where the reverse order is the same. */
  readonly order: 'reversed' | 'shifted'
  /** Whether every other token kept its position: scores of different lengths move what lies between them. */
  readonly same_positions: boolean
  /** From the scores as given (p) to the scores in the other order (q). */
  readonly shift: DistributionShift
}

export interface InContextRow {
  readonly id: string
  readonly tokens: number
  readonly example_tokens: number
  /** Entropies of the next token, nats. */
  readonly entropy_with: number
  readonly entropy_without: number
  /** From the prompt with its examples (p) to the same without them (q). */
  readonly shift: DistributionShift
  /** Those whose probability changes most, largest change first. */
  readonly changed_tokens: readonly ChangedToken[]
  /** Attention of the last position on the examples: mean over layers and heads, and the largest of them. */
  readonly mass_mean: number
  readonly mass_max: number
  readonly layers: readonly InContextLayer[]
  readonly examples: readonly InContextExample[]
  /** Null where all scores read the same: no order of them is another one. */
  readonly scores: ScoreControl | null
}

export interface InContextReading {
  readonly rows: readonly InContextRow[]
  readonly forward_passes: number
}
