/**
 * What the credit laboratory's answers look like, whoever asks: the command line prints these shapes, the window draws
 * them, a report tabulates them. Formulas and services stand elsewhere; here is data only.
 */
import type { Trajectory, Turn, TurnRole } from './trajectory.ts'

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

/** What was audited, whether it could be or not. */
interface AuditedGradient {
  readonly partition: Partition
  readonly dtype: AuditDtype
  /** Present where the dtype is not the device's own: what was rounded, and what was not. */
  readonly emulation?: string
  readonly reduction: Reduction
  /** Where the advantages come from, in words. */
  readonly advantages: string
  readonly trained_positions: number
  readonly rollouts: number
  /** Rollouts without a reward: in no mean, no count and no part. */
  readonly left_out: readonly string[]
  /** Parameters that the gradient is of. */
  readonly parameters: number
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

/** There is nothing to share out: a result like any other. */
export interface RefusedAudit extends AuditedGradient {
  readonly verdict: 'refused'
  readonly reason: string
  readonly numbers: Readonly<Record<string, number>>
  readonly remedy: string
}

export interface TokenCredit {
  /** Zero-based, in `turns`. */
  readonly turn: number
  /** Zero-based, in that turn's `token_ids`. */
  readonly index: number
  readonly advantage: number
  readonly return?: number
}

export interface Spread {
  readonly mean: number
  readonly std: number
  readonly n: number
}

/** `credit estimate`: one estimator over stored trajectories. */
export interface CreditEstimate {
  readonly method: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly formula: string
  readonly trajectories: readonly { readonly id: string; readonly tokens: readonly TokenCredit[] }[]
  readonly summary: Readonly<Record<string, Spread>>
}

/** `credit process-reward`: whether prefixes shared by a group's rollouts say anything about its tokens. */
export interface ProcessRewardGroup {
  readonly group: string
  readonly rollouts: number
  readonly longest_common_prefix: number
  readonly mean_divergence_depth: number
  readonly informative_fraction: number
  readonly zero_reward_fraction: number
  readonly killed: boolean
}
export interface ProcessReward {
  readonly groups: readonly ProcessRewardGroup[]
  readonly killed_groups: number
  readonly verdict: string
  readonly remedy?: string
}

/** `credit diagnose`. */
export interface Diagnosis {
  readonly id: string
  readonly status: string
  readonly figure: unknown
  readonly detail: string
}

/** `credit datc`: weights over the assistant tokens of each row. */
export interface DatcRow {
  readonly id: string
  /** Of the whole rollout; each token's is this times its weight. */
  readonly advantage: number
  readonly weights: readonly number[]
  readonly directional_credit: readonly number[]
  /** Of the angle between the reward's ascent and the sampled token's score direction, in the policy's logits. */
  readonly cosine: readonly number[]
  /** Which tokens take part in the allocation; the others keep weight 1. */
  readonly content: readonly boolean[]
  readonly temperature: number | null
  readonly predicted_gain: number
  readonly predicted_gain_uniform: number
}

/** A turn of a recorded rollout keeps what its trainer used. */
export interface RecordedTurn extends Turn {
  readonly role: TurnRole
  readonly advantages?: readonly number[]
  readonly returns?: readonly number[]
}

// ---- where rollouts come from ---------------------------------------------------------------------------------------

export const importFormats = ['trajectories', 'skyrl', 'verl', 'trl', 'openrlhf', 'reward-lens'] as const
export type ImportFormat = (typeof importFormats)[number]

/** What an import said of itself, kept beside its rows. */
export interface TrajectoryNote {
  /** The file's own name. */
  readonly name: string
  readonly format: ImportFormat
  /** UTC, ISO 8601. */
  readonly kept_at: string
  readonly rows: number
  readonly groups: number
  readonly fields_found: readonly string[]
  readonly fields_absent: readonly string[]
  /** Folder whose tokenizer gave or checked the token ids; null where none was named. */
  readonly tokenizer: string | null
  /** What the reader wants known: what could not be recovered, ids whose text re-encodes differently. */
  readonly remarks: readonly string[]
}
export interface KeptTrajectories extends TrajectoryNote {
  readonly sha256: string
}

/** A run that recorded rollouts. */
export interface RolloutRun {
  readonly run_id: string
  readonly study_id: string | null
  readonly study_name: string | null
  readonly stage: string
  readonly status: string
  readonly created_at: string
  readonly rollouts: number
  readonly first_iteration: number
  readonly last_iteration: number
  /** Iterations whose update was audited while the run learned. */
  readonly audited_iterations: readonly number[]
}

export interface CreditSources {
  /** Newest first. */
  readonly runs: readonly RolloutRun[]
  readonly files: readonly KeptTrajectories[]
}

/** One rollout in a list: what can be said without its tokens. */
export interface TrajectoryListing {
  readonly id: string
  readonly group: string
  readonly reward: number | null
  readonly terminated: boolean
  readonly truncated: boolean
  readonly turns: number
  /** Assistant tokens: trained, masked in. */
  readonly actions: number
  /** Tokens of every role. */
  readonly tokens: number
  readonly iteration: number | null
  /** First words of the last assistant turn that has text. */
  readonly excerpt: string
}

export interface TrajectoryList {
  readonly name: string
  readonly rows: readonly TrajectoryListing[]
  /** Fields that every action turn of every row has, and those that only some or none have. */
  readonly fields: readonly { readonly name: string; readonly rows: number }[]
  /** Folder of the model that the rollouts are of, where this machine knows it. */
  readonly model: string | null
}

/** A rollout with the text of every token, for a lattice. */
export interface TrajectoryView {
  readonly trajectory: Omit<Trajectory, 'turns'> & { readonly turns: readonly RecordedTurn[] }
  /** One list a turn, one text a token; empty where a turn has no ids. */
  readonly token_texts: readonly (readonly string[])[]
}
