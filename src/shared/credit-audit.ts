/**
 * The credit-geometry audit as data: what is asked, what comes back, and what a learning run records. The command line prints
 * these shapes, the window draws them.
 */

export const partitions = ['rollout', 'turn', 'segment', 'token'] as const
export type Partition = (typeof partitions)[number]
export const auditDtypes = ['float64', 'float32', 'bfloat16'] as const
export type AuditDtype = (typeof auditDtypes)[number]

/** One part of a batch: a rollout (`id`), a turn or segment (`id/turn K`), a token (`id/turn K/token T`). */
export interface AuditPart {
  readonly name: string
  readonly positions: number
  /** ⟨g_S, g_full⟩ / ‖g_full‖²: shares of all parts sum to one. */
  readonly projected_share: number
  /** ‖g_S‖ / ‖g_full‖: their sum is the cancellation. Absent where shares come from one forward-mode pass. */
  readonly norm_share?: number
}

export type StepConservation =
  | {
      readonly optimizer: string
      readonly relative_error: number
      readonly update_precision_floor: number
      readonly update_precision_limited: boolean
    }
  /** An optimizer whose step is no sum over parts: why. */
  | { readonly optimizer: string; readonly refused: string }

/** `sum`: J = Σ A log π. `response-mean`: the mean over a response's action tokens, then over responses. */
export const reductions = ['sum', 'response-mean'] as const
export type Reduction = (typeof reductions)[number]

/** What is asked of an audit; paths are the caller's. */
export interface AuditSettings {
  readonly partition: Partition
  readonly dtype: AuditDtype
  readonly reduction: Reduction
  /** An estimator with its settings by name, or the lists `advantages` that the turns themselves carry. */
  readonly advantages:
    | { readonly method: string; readonly settings: Readonly<Record<string, string | number>> }
    | 'recorded'
  /** Whose step is compared with the sum of the parts, and its rate; absent: none. */
  readonly step?: { readonly optimizer: string; readonly learning_rate: number }
}

/** |log π of the audited policy − the log-probability recorded at sampling|, over trained tokens that carry one. */
export interface SamplingGap {
  readonly tokens: number
  readonly mean: number
  readonly max: number
}

/**
 * Mean gap from which another policy is taken to have sampled. Recomputing in float32 what was sampled in float32 differs by
 * about 1e-6; one update of a training run by more than 1e-3.
 */
export const otherPolicyFrom = 1e-3

/** What was audited, whether it could be or not. */
interface AuditedGradient {
  readonly partition: Partition
  readonly dtype: AuditDtype
  /** Present where the dtype is not the device's own: what was rounded, and what was not. */
  readonly emulation?: string
  /** Present where sums run in a wider float than the dtype: which. */
  readonly accumulation?: string
  readonly reduction: Reduction
  /** Where the advantages come from, in words. */
  readonly advantages: string
  readonly trained_positions: number
  readonly rollouts: number
  /** Rollouts whose grade says nothing about the policy: in no mean, no count and no part. */
  readonly left_out: readonly string[]
  /** Present where no adapter was given: the gradient is that of a fresh one, and lies in its B alone. */
  readonly adapter?: 'fresh'
  /** Parameters that the gradient is of. */
  readonly parameters: number
  /** Absent where no rollout carries the log-probabilities of its sampling. */
  readonly sampling_gap?: SamplingGap
  readonly backward_passes: number
}

/** `credit audit`. Numbers of one gradient, at one set of parameters. */
export interface CreditAudit extends AuditedGradient {
  readonly forward_mode_passes?: number
  readonly parts: readonly AuditPart[]
  readonly projected_share_sum: number
  /** Σ of the parts against a gradient of its own backward pass: ‖Σg_S − g‖/‖g‖; from forward mode |Σ shares − 1|. */
  readonly conservation_error: number
  readonly conservation_of: 'gradient' | 'projection'
  readonly cancellation?: number
  readonly full_norm: number
  readonly step_conservation?: StepConservation
}

/** One rollout in a recorded audit; `token_shares` run over its action tokens and sum to its share. */
export interface RecordedShare {
  readonly rollout_id: string
  readonly positions: number
  readonly projected_share: number
  readonly norm_share: number
  readonly token_shares: readonly number[]
}

export interface RecordedReading {
  readonly trained_positions: number
  readonly backward_passes: number
  readonly forward_mode_passes: number
  /** Before clipping. */
  readonly full_norm: number
  readonly projected_share_sum: number
  /** ‖Σ of the rollouts' gradients − g‖ / ‖g‖. */
  readonly conservation_error: number
  readonly cancellation: number
  /** |Σ token shares − 1|. */
  readonly token_conservation_error: number
  readonly rollouts: readonly RecordedShare[]
}

/**
 * A line of a run's journal: the gradient that one update was taken on, by rollout and token, at the policy before the
 * step. Its coefficients are the derivatives of the loss itself: w·A·ratio where the clip does not bind, 0 where it does.
 */
export interface CreditAuditLine {
  readonly kind: 'credit-audit'
  readonly iteration: number
  readonly update: number
  readonly epoch_within_rollout: number
  readonly policy_sha256: string
  readonly dtype: 'float32'
  /** Null where the gradient was exactly zero. */
  readonly reading: RecordedReading | null
}

/** There is nothing to share out: a result like any other. */
export interface RefusedAudit extends AuditedGradient {
  readonly verdict: 'refused'
  readonly reason: string
  readonly numbers: Readonly<Record<string, number>>
  readonly remedy: string
}
