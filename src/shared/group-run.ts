/**
 * Runs that learn from groups of rollouts of one task: what such a stage is told and the lines of its journal. The stages
 * of the reference study stand in `stage.ts`.
 */
import type { RecordedTurn } from './credit.ts'
import type { DeskRules } from './desk-rules.ts'
import type { GroupConfig } from './training-config.ts'
import type { Trajectory } from './trajectory.ts'

/** How a group's rewards become credit of tokens; also the name of the stage. */
export const outcomeStages = ['grpo', 'datc', 'rloo', 'red', 'p2t', 'comppo'] as const
/** `turn-ppo` is PPO over rollouts of several turns: a critic learns beside the policy, and rollouts are not compared. */
export const groupStages = [...outcomeStages, 'turn-ppo'] as const
export type GroupStage = (typeof groupStages)[number]

export function isGroupStage(stage: string): stage is GroupStage {
  return (groupStages as readonly string[]).includes(stage)
}

/** Where rollouts of several turns come from. */
export interface DeskEnvironment {
  readonly name: 'desk'
  readonly rules: DeskRules
}

export interface CriticSettings {
  readonly learning_rate: number
  readonly gamma: number
  readonly gae_lambda: number
  readonly value_loss_coef: number
  /** β of the token rewards −β(log π − log π_ref); the loss then has no such term of its own. */
  readonly kl_coefficient: number
}

/** What a group job says beyond every job's own part. */
export interface GroupJobPart {
  readonly stage: GroupStage
  /** Prompt rows; task rows of the environment where one is named. */
  readonly train: string
  /** Absent: single-turn prompts. */
  readonly environment?: DeskEnvironment
  /** The policy's start and the frozen reference. */
  readonly initAdapter: string
  /** Reward adapter with its head; frozen. Only an environment judges without one. */
  readonly rewardAdapter?: string
  readonly config: GroupConfig
  /** Of `turn-ppo`. */
  readonly critic?: CriticSettings
  readonly shuffle: boolean
  /** Stop as interrupted after this many iterations in total. */
  readonly stopAfter?: number
}

/** A sampled rollout with the credit that was learned from: lists of a turn stand beside its `token_ids`. */
export interface GroupRollout {
  readonly task_id: string
  readonly trajectory: Trajectory & { readonly turns: readonly RecordedTurn[] }
  /** Of the whole rollout, before it was shared among tokens; null where nobody learned from it. */
  readonly advantage: number | null
  /** Mean over action tokens of behaviour minus reference log-probability; can be negative, not a divergence; null with the advantage. */
  readonly sampled_policy_reference_logratio: number | null
  /** False where an id beyond the tokenizer's vocabulary was sampled. */
  readonly tokenization_valid: boolean
  /** Further numbers of the method about this rollout, such as DATC's temperature. */
  readonly facts?: Readonly<Record<string, number>>
}

/** What an update saw of one rollout; lists run over its action tokens. */
export interface PolicyObservation {
  readonly rollout_id: string
  readonly current_token_logprobs: readonly number[]
  readonly ratios: readonly number[]
  readonly loss: number
  /** Largest |teacher-forced - sampling-time| log-prob; before the first update it is numerical difference only. */
  readonly old_logprob_max_difference: number
}

export interface PolicyUpdate {
  readonly update: number
  readonly epoch_within_rollout: number
  readonly learning_rate: number
  readonly loss: number
  /** Global L2 norm before clipping. */
  readonly grad_norm: number
  /** Share of action tokens whose ratio lies outside 1 +- clip_epsilon. */
  readonly clip_fraction: number
  /** Response mean, then batch mean of k3: an estimate of the divergence from the reference. */
  readonly reference_divergence: number
  readonly equal_response_denominator: number
  readonly observations: readonly PolicyObservation[]
  /** Of a value model that learns beside the policy. */
  readonly critic?: { readonly learning_rate: number; readonly loss: number; readonly grad_norm: number }
}

export interface GroupIterationLine {
  readonly kind: 'group-iteration'
  readonly iteration: number
  readonly policy_sha256: string
  readonly reduction: 'response mean, then batch mean'
  readonly rollouts: readonly GroupRollout[]
  readonly updates: readonly PolicyUpdate[]
}
