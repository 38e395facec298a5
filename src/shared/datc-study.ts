/**
 * DATC's predicted gains in independent logits against single steps of the shared parameters: what such a study is told,
 * what it finds, and how it is listed once it is kept. Its formulas stand in `engine/credit/datc/single-step-study.ts`.
 */
import type { RunStatus } from './study-document.ts'
import type { GroupConfig } from './training-config.ts'

/** A correlation over fewer is not asked for. */
export const fewestBatches = 3

export interface StudyBatch {
  /** Gain in independent logits, DATC minus equal weights, for a step of length 1: Σ_i 1/(T_i N) Σ_t (w − 1) A d. */
  readonly independent_gain: number
  /** ⟨∇S, Δθ_DATC − Δθ_GRPO⟩ of one AdamW step each from the same parameters. */
  readonly shared_gain: number
  /** The same for plain gradient steps of length 1. */
  readonly shared_gain_plain: number
  /** Groups whose rewards are not all equal: the others add nothing. */
  readonly informative_groups: number
}

export interface StudySummary {
  readonly batches: number
  readonly spearman: number | null
  readonly pearson: number | null
  /** Of the straight line of P on X. */
  readonly r2: number | null
  readonly share_independent_positive: number
  readonly share_shared_positive: number
}

export interface SingleStepStudy {
  readonly rows: readonly StudyBatch[]
  readonly summary: StudySummary
  /** The same figures with plain gradient steps in the place of AdamW's. */
  readonly summary_plain: StudySummary
}

/** Settings of a group trainer that such a study reads; the others are of the learning that it does not do. */
export const studySettings = [
  'prompts_per_rollout',
  'group_size',
  'learning_rate',
  'max_new_tokens',
  'seed',
  'max_weight',
  'ablation',
  'truncation_penalty',
  'clip_epsilon',
  'kl_coefficient',
  'weight_decay',
  'gradient_clip',
  'max_prompt_tokens',
  'max_context_tokens',
] as const satisfies readonly (keyof GroupConfig)[]

/** As a stage of the stage process: prompt rows in, one JSON document out (`runFiles.datcStudy`). */
export interface CreditDatcStudyPart {
  readonly stage: 'credit-datc-study'
  readonly prompts: string
  /** PEFT folder of the policy that every step starts from. */
  readonly initAdapter: string
  /** Over the same base, with its score head. */
  readonly rewardAdapter: string
  readonly config: GroupConfig
  readonly batches: number
}

/** A study that the job queue made, or is making. */
export interface DatcStudyListing {
  readonly run_id: string
  readonly status: RunStatus
  /** Why it failed. */
  readonly error: string | null
  readonly created_at: string
  /** The file of prompts by its own name, and its rows. */
  readonly prompts_name: string
  readonly prompts: number
  readonly batches: number
  readonly config: GroupConfig
  /** Of work. */
  readonly seconds: number
}

export interface DatcStudyResult {
  readonly listing: DatcStudyListing
  /** Null where it is not finished. */
  readonly study: SingleStepStudy | null
}
