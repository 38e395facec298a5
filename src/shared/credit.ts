/**
 * What the credit laboratory's answers look like, whoever asks: the command line prints these shapes, the window draws
 * them, a report tabulates them. Formulas and services stand elsewhere; here is data only.
 */
import type { CreditSource } from './credit-requests.ts'
import type { RunStatus } from './study-document.ts'
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
  /** Share of the rollout's advantage, mean 1 over content tokens (DATC). */
  readonly weights?: readonly number[]
}

// ---- where rollouts come from ---------------------------------------------------------------------------------------

export const importFormats = ['trajectories', 'skyrl', 'verl', 'trl', 'openrlhf', 'reward-lens'] as const
export type ImportFormat = (typeof importFormats)[number]

/** What an import said of itself, kept beside its rows. */
export interface TrajectoryNote {
  /** The file's own name. */
  readonly name: string
  /** `desk`: played here. */
  readonly format: ImportFormat | 'desk'
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
  /** Of a file that the desk made here: folders of who played. */
  readonly played_by?: {
    readonly model: string
    readonly adapter: string | null
    readonly reward_adapter: string | null
  }
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
  /** Parameters of this home that they can be audited at, the likeliest first. */
  readonly policies: readonly PolicyChoice[]
  /** Reward models of this home that belong to them. */
  readonly reward_adapters: readonly { readonly name: string; readonly adapter: string }[]
}

/** A rollout with the text of every token, for a lattice. */
export interface TrajectoryView {
  readonly trajectory: Omit<Trajectory, 'turns'> & { readonly turns: readonly RecordedTurn[] }
  /** One list a turn, one text a token; empty where a turn has no ids. */
  readonly token_texts: readonly (readonly string[])[]
}

// ---- methods as they are chosen --------------------------------------------------------------------------------------

export interface MethodSetting {
  /** As results name it; the command line's flag is the same with dashes. */
  readonly name: string
  readonly meaning: string
  readonly unit: string
  readonly by_default: string
  readonly choices?: readonly string[]
}

/** What a method is, before it is asked: from the same table that the command line's help is made of. */
export interface MethodFacts {
  readonly name: string
  readonly formula: string
  /** In words: fields beyond ids and outcome, with the turns they are needed in. */
  readonly needs: readonly string[]
  /** The same as names of fields. */
  readonly fields: readonly string[]
  readonly settings: readonly MethodSetting[]
  readonly source: string
  readonly cannot_claim: string
}

/** A method that these rollouts cannot feed: why, and what would provide what is missing. */
export interface RefusedMethod {
  readonly label: string
  readonly problem: string
  readonly remedy: string | null
}

// ---- what was computed and kept --------------------------------------------------------------------------------------

/** Something that the job queue computed about rollouts, or is computing: a run that learns nothing. */
export interface CreditResultListing {
  readonly run_id: string
  readonly kind: 'credit-audit' | 'credit-datc'
  readonly status: RunStatus
  /** Why it failed. */
  readonly error: string | null
  readonly created_at: string
  readonly source: CreditSource
  /** As messages name the source. */
  readonly source_name: string
  /** Rollouts asked about; null for all of the source. */
  readonly ids: readonly string[] | null
  readonly rollouts: number
  /** As it was asked, by name. */
  readonly settings: Readonly<Record<string, unknown>>
  /** The policy's learned state; null for the base alone or before it was read. */
  readonly policy_sha256: string | null
  /** Of work. */
  readonly seconds: number
}

export interface CreditResult {
  readonly listing: CreditResultListing
  /** Null where it is of the other kind, or not finished. */
  readonly audit: CreditAudit | RefusedAudit | null
  readonly datc: DatcReading | null
}

/** `credit datc` as a whole. */
export interface DatcReading {
  readonly max_weight: number
  readonly ablation: string
  readonly rows: readonly DatcRow[]
  /** Rollouts without a reward. */
  readonly left_out: number
}

/** A set of parameters that rollouts can be asked about. */
export interface PolicyChoice {
  readonly name: string
  /** PEFT folder. */
  readonly adapter: string
  /** Whether it is the one that sampled the rollouts in view; null where that is not known. */
  readonly sampled: boolean | null
}

/** Episodes of the desk that were played here, or are being played. */
export interface DeskPlayListing {
  readonly run_id: string
  readonly status: RunStatus
  readonly error: string | null
  readonly created_at: string
  readonly name: string
  /** Where the trajectories are kept; null until they are, or once they are forgotten. */
  readonly source: CreditSource | null
}
