/** What a stage of the credit laboratory is told, beside every job's own part; the audit's stands in `stage.ts`. */

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
