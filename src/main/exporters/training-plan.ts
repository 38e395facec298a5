/** What another training engine is handed: stages with their settings, rows, adapters. Plain facts, of no engine yet. */

export const engines = ['trl', 'verl'] as const
export type Engine = (typeof engines)[number]

export type StageKind = 'sft' | 'reward' | 'dpo' | 'rl'
export type Method = 'sft' | 'reward' | 'dpo' | 'ppo' | 'grpo' | 'rloo' | 'datc' | 'red' | 'p2t'

export interface PlannedStage {
  readonly kind: StageKind
  readonly method: Method
  /** By our own names (`training-config.ts`). */
  readonly settings: Readonly<Record<string, number | string>>
}

export const rowFiles = [
  'sft_train',
  'sft_validation',
  'reward_train',
  'reward_validation',
  'dpo_train',
  'dpo_validation',
  'prompts',
  'heldout_prompts',
] as const
export type RowFile = (typeof rowFiles)[number]
export type RowKind = 'demonstration' | 'pair' | 'prompt'

export const rowKinds: Readonly<Record<RowFile, RowKind>> = {
  sft_train: 'demonstration',
  sft_validation: 'demonstration',
  reward_train: 'pair',
  reward_validation: 'pair',
  dpo_train: 'pair',
  dpo_validation: 'pair',
  prompts: 'prompt',
  heldout_prompts: 'prompt',
}

/** `policy` is what SFT or DPO made, `actor` and `critic` what reinforcement learning made of it. */
export type AdapterRole = 'policy' | 'reward' | 'actor' | 'critic'

export interface PlannedAdapter {
  readonly role: AdapterRole
  readonly folder: string
}

export interface TrainingPlan {
  readonly id: string
  readonly kind: 'study' | 'run'
  readonly name: string
  readonly codeVersion: string
  readonly seed: number
  readonly lora: { readonly rank: number; readonly alpha: number }
  readonly limits: {
    readonly max_prompt_tokens: number
    readonly max_new_tokens: number
    readonly max_context_tokens: number
  }
  readonly base: { readonly folder: string; readonly files: Readonly<Record<string, string>> }
  /** In the order they run. */
  readonly stages: readonly PlannedStage[]
  /** Our own JSONL files by the name they get. */
  readonly rows: readonly { readonly name: RowFile; readonly file: string }[]
  readonly adapters: readonly PlannedAdapter[]
  /** Adapters that training began from and that are known by hash alone. */
  readonly missing: readonly { readonly role: 'initial' | 'policy' | 'reward'; readonly sha256: string }[]
}
