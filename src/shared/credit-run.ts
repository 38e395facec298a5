/** What a stage of the credit laboratory is told, beside every job's own part; the audit's stands in `stage.ts`. */
import type { DeskRules } from './desk-rules.ts'

export const ablations = ['none', 'no-angle', 'shuffled'] as const
export type Ablation = (typeof ablations)[number]

export interface DatcSettings {
  /** λ: weights lie in [1/λ, λ]. */
  readonly max_weight: number
  readonly ablation: Ablation
  /** Of the permutations of `shuffled`. */
  readonly seed: number
}

/** Direction-aware token weights of stored rollouts: trajectories in, one JSON document out (`runFiles.datc`). */
export interface CreditDatcPart {
  readonly stage: 'credit-datc'
  readonly trajectories: string
  /** PEFT folder of the policy; absent: the base alone. */
  readonly adapter?: string
  /** Over the same base. */
  readonly rewardAdapter: string
  readonly settings: DatcSettings
}

/** How a policy plays at the desk. */
export type DeskPlaySettings = {
  readonly rules: DeskRules
  /** The likeliest token at every step, else sampled at temperature 1. */
  readonly greedy: boolean
  /** Of sampling, and of failures of the environment. */
  readonly seed: number
} & (
  | { readonly mode: 'rollouts'; readonly group_size: number }
  /** `at`: agent turns of the prefixes that are played on from. */
  | { readonly mode: 'branch'; readonly branches: number; readonly at: number | 'every' }
)

/** Episodes of the desk: task rows, or rollouts to branch, in; trajectories out (`runFiles.rollouts`). */
export interface DeskPart {
  readonly stage: 'desk'
  readonly rows: string
  /** How many are played where that is known; for progress alone. */
  readonly episodes: number
  /** PEFT folder of the policy; absent: the base alone. */
  readonly adapter?: string
  /** Needed where the rules give its score a weight. */
  readonly rewardAdapter?: string
  readonly settings: DeskPlaySettings
}
