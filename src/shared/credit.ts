/**
 * What the credit laboratory's answers look like, whoever asks: the command line prints these shapes, the window draws
 * them, a report tabulates them. Formulas and services stand elsewhere; here is data only.
 */
import type { CreditAudit, RefusedAudit } from './credit-audit.ts'
import type { CreditSource } from './credit-requests.ts'
import type { RunStatus } from './study-document.ts'
import type { Trajectory, Turn, TurnRole } from './trajectory.ts'

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
  /** In words, whose parameters were asked about. */
  readonly policy: string
  /** Of work. */
  readonly seconds: number
}

export interface CreditResult {
  readonly listing: CreditResultListing
  /** Name of the base model's folder; null where this machine does not know it. */
  readonly model: string | null
  /** Whether the policy asked about sampled these rollouts; null where that is not known. */
  readonly sampled: boolean | null
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
