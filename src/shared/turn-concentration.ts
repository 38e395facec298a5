/** How concentrated a policy gradient is on few turns: what `credit concentration` prints and the window draws. */

/** Turns at one place of their rollouts, or of one kind. */
export interface ConcentrationAt {
  readonly name: string
  readonly turns: number
  readonly mean_tokens: number | null
  /** Mean of the turn's part of its rollout's turn norms. */
  readonly mean_weight: number | null
  /** Mean of the turn's part of its rollout's action tokens. */
  readonly mean_token_share: number | null
  /** Of the whole update: their projected shares added. */
  readonly projected_share: number
  /** Σ ‖g_turn‖ / ‖g‖ over these turns, a token. */
  readonly norm_per_token: number | null
}

/** Means are over rollouts of at least two turns whose turns have any credit; null where there are none. */
export interface TurnConcentration {
  readonly rollouts: number
  /** Every turn's gradient is zero: the advantage was. */
  readonly without_credit: number
  readonly single_turn: number
  readonly several_turns: number
  readonly mean_turns: number | null
  /** Largest turn's part of the rollout's norms, and the largest part of its tokens. */
  readonly top_turn_share: number | null
  readonly top_token_share: number | null
  /** 1 / Σ p² over the turns' parts of the norms, and over those of the tokens. */
  readonly effective_turns: number | null
  readonly effective_turns_by_tokens: number | null
  /** Σ ‖g_turn‖ / ‖g_rollout‖. */
  readonly cancellation_within: number | null
  /** By place among the rollout's action turns, counted from 1. */
  readonly by_place: readonly ConcentrationAt[]
  readonly last: ConcentrationAt
  /** By what the environment called the turn, where it is recorded. */
  readonly by_event: readonly ConcentrationAt[]
}
