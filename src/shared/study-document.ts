/**
 * Everything that can be said of one study, as plain data: what `study show` prints, what a report is written from,
 * and what a window draws. Built by the workbench from the store; no durations inside anything comparable, no
 * absolute paths except those of the base model and the report, no non-finite number.
 */

import type { StudyCredit } from './study-credit.ts'
import type { StudyResults } from './study-results.ts'
import type { StudyConfig } from './training-config.ts'

export const runStatuses = ['queued', 'running', 'interrupted', 'failed', 'finished'] as const
export type RunStatus = (typeof runStatuses)[number]

export const stageNames = ['corpus', 'sft', 'reward', 'ppo', 'evaluation', 'probes', 'report'] as const
export type StageName = (typeof stageNames)[number]

export interface StudyDocument {
  readonly format: 'recompense-study-document'
  readonly version: 1
  readonly study_id: string
  readonly name: string
  readonly preset: string
  readonly status: RunStatus
  readonly seed: number
  /** ISO 8601, UTC. */
  readonly created_at: string
  readonly finished_at: string | null
  readonly error: { readonly stage: string | null; readonly message: string } | null
  readonly config: StudyConfig
  readonly config_sha256: string
  readonly code_version: string
  readonly model: {
    readonly folder: string
    /** The engine's identity of the base (configuration and tensors); null before the first stage finished. */
    readonly base_sha256: string | null
    /** SHA-256 of each file of the folder that the study depends on. */
    readonly files: Readonly<Record<string, string>>
  }
  readonly device: string
  readonly device_reason: string | null
  readonly threads: number
  readonly stages: readonly StageRecord[]
  readonly runs: readonly RunRecord[]
  readonly curves: {
    readonly sft: readonly UpdatePoint[]
    readonly reward: readonly UpdatePoint[]
    readonly ppo: readonly PpoUpdatePoint[]
    readonly sft_validation: readonly ValidationPoint[]
    readonly reward_validation: readonly ValidationPoint[]
  }
  /** One summary per PPO iteration. */
  readonly iterations: readonly IterationPoint[]
  readonly results: StudyResults | null
  /** Absent where no gradient of the study was audited. */
  readonly credit?: StudyCredit
  /** By role: `policy` (SFT), `reward`, then PPO's `actor`, `reference`, `ppo_reward`, `critic`, where they are known. */
  readonly initial_learned_sha256: Readonly<Record<string, string>>
  readonly final_learned_sha256: Readonly<Record<string, string>>
  readonly corpus: {
    readonly audit: Readonly<Record<string, unknown>>
    readonly manifest_sha256: string
    /** SHA-256 by path relative to the corpus folder. */
    readonly files: Readonly<Record<string, string>>
  } | null
  readonly integrity: readonly IntegrityFact[]
  readonly resume_checks: readonly ResumeCheck[]
  readonly provenance: Readonly<Record<string, string | number | boolean | null>>
  readonly artifacts: readonly ArtifactRecord[]
  /** What may not be concluded, one sentence each. */
  readonly limits: readonly string[]
  /** Absolute paths of the last report's files: where it was asked for first, then the study's own folder. */
  readonly report_files: readonly string[]
}

export interface StageRecord {
  readonly name: StageName
  readonly status: RunStatus
  /** Seconds of work over all sessions, without the time between an interruption and its resumption. */
  readonly seconds: number
  /** Optimizer updates done (per optimizer for PPO); 0 for stages that learn nothing. */
  readonly updates: number
  readonly total: number
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly error: string | null
}

export interface RunRecord {
  readonly run_id: string
  readonly stage: string
  /** `main`, or why else it ran: `base`, `sft`, `ppo`, `reward-test`, `probes`, `resume-check`. */
  readonly purpose: string
  readonly status: RunStatus
  readonly config: Readonly<Record<string, unknown>>
  readonly device: string
  readonly threads: number
  readonly base_sha256: string | null
  /** SHA-256 of each input by its name (`train`, `validation`, `prompts`, `rows`). */
  readonly data_sha256: Readonly<Record<string, string>>
  readonly code_version: string
  readonly parents: readonly { readonly role: string; readonly run_id: string }[]
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly updates: number
  readonly total: number
  readonly error: string | null
  readonly initial_learned_sha256: Readonly<Record<string, string>>
  readonly final_learned_sha256: Readonly<Record<string, string>>
  readonly trainable_parameters: number | null
  readonly peak_rss_bytes: number | null
  readonly seconds: Readonly<Record<string, number>>
}

export interface UpdatePoint {
  readonly update: number
  readonly epoch: number
  readonly learning_rate: number
  readonly loss: number
  /** Before clipping. */
  readonly grad_norm: number
  readonly denominator: number
}

export interface PpoUpdatePoint {
  readonly update: number
  readonly iteration: number
  readonly epoch_within_rollout: number
  readonly actor_learning_rate: number
  readonly critic_learning_rate: number
  readonly actor_loss: number
  readonly critic_loss: number
  readonly actor_grad_norm: number
  readonly critic_grad_norm: number
  readonly clip_fraction: number
  /** Smallest and largest ratio over the update's tokens. */
  readonly ratio_min: number
  readonly ratio_max: number
  /** Largest |teacher-forced - sampling-time| log-prob over the update's tokens. */
  readonly old_logprob_max_difference: number
}

export interface ValidationPoint {
  readonly epoch: number
  readonly population: number
  readonly loss: number
  readonly accuracy: number | null
  readonly ties: number | null
}

export interface IterationPoint {
  readonly iteration: number
  readonly rollouts: number
  /** Predicted simulated preference. */
  readonly mean_learned_reward: number
  /**
   * The rubric's verdicts on these training rollouts, given after the fact: rollouts with a known target, successes and
   * recognised forms among them. The learner never saw a target, and this is no held-out figure.
   */
  readonly rubric_judged: number
  readonly rubric_success: number
  readonly rubric_recognized: number
  /** Mean over rollouts of the mean sampled log-ratio; can be negative, not a divergence. */
  readonly mean_sampled_actor_reference_logratio: number
  readonly mean_response_tokens: number
  /** Rollouts cut at the token limit. */
  readonly without_eos: number
  readonly mean_kl_reward: number
  readonly mean_truncation_reward: number
  readonly mean_value: number
  readonly mean_advantage: number
  readonly mean_return: number
}

export interface IntegrityFact {
  readonly name: string
  readonly status: 'ok' | 'failed'
  readonly detail: string
}

export interface ResumeCheck {
  readonly stage: 'sft' | 'reward' | 'ppo'
  /** Epochs (or PPO iterations) after which the run was interrupted. */
  readonly interrupted_after: number
  readonly unit: 'epochs' | 'iterations'
  readonly status: 'ok' | 'failed'
  readonly state_equal: boolean
  readonly journal_equal: boolean
  readonly continuous_state_sha256: string
  readonly resumed_state_sha256: string
  readonly journal_sha256: string
  readonly resumed_journal_sha256: string
}

export interface ArtifactRecord {
  /** Relative to the study folder, `/` between parts. */
  readonly path: string
  readonly kind: string
  readonly sha256: string
  readonly bytes: number
  readonly run_id: string | null
}

/** One line of `study verify` and `doctor`. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'failed'
  readonly detail: string
}

/** One line of `study list`. */
export interface StudyListing {
  readonly study_id: string
  readonly name: string
  readonly preset: string
  readonly status: RunStatus
  readonly seed: number
  readonly created_at: string
  readonly finished_at: string | null
  /** First unfinished stage, null when all are finished. */
  readonly next_stage: StageName | null
}
