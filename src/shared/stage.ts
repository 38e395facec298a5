/**
 * The protocol between the workbench and a stage process: what a stage is told, what it reports, and the files it
 * leaves in its run folder. Paths and small facts travel; tensors never do. A stage process has no database handle
 * and can read only the base model, its own inputs and the adapters it is given.
 */
import type { AuditSettings, CreditAuditLine } from './credit-audit.ts'
import type { CreditDatcPart, DeskPart } from './credit-run.ts'
import type { CreditDatcStudyPart } from './datc-study.ts'
import type { GroupIterationLine, GroupJobPart } from './group-run.ts'
import type { DpoConfig, PpoConfig, TrainingConfig } from './training-config.ts'

export type DeviceName = 'auto' | 'cpu' | 'webgpu' | 'cuda' | 'dml' | 'coreml'

interface StageJobBase {
  readonly runId: string
  /** Folder of the base checkpoint (Hugging Face layout). */
  readonly base: string
  /** The only folder the stage may write to. */
  readonly runDir: string
  /** Folder for the expanded float32 copy of a large checkpoint, shared by runs. Default: inside the run folder. */
  readonly weightCache?: string
  readonly device: DeviceName
  readonly threads: number
}

/** Supervised learning: demonstrations (`sft`) or preference pairs (`reward`, `dpo`), JSONL rows as in `rows.ts`. */
export interface SupervisedJob extends StageJobBase {
  readonly stage: 'sft' | 'reward' | 'dpo'
  readonly train: string
  readonly validation?: string
  /** PEFT folder to start from; absent: fresh LoRA (and head) drawn from the seed. For `dpo` also the frozen reference. */
  readonly initAdapter?: string
  readonly config: TrainingConfig | DpoConfig
  readonly shuffle: boolean
  /** Stop as interrupted after this many epochs in total, at the atomic boundary. Used to prove exact resume. */
  readonly stopAfter?: number
}

export interface PpoJob extends StageJobBase {
  readonly stage: 'ppo'
  /** Prompt rows. */
  readonly train: string
  /** SFT adapter: the actor's start, the frozen reference, and the critic's LoRA. */
  readonly initAdapter: string
  /** Reward adapter with its head; frozen. */
  readonly rewardAdapter: string
  readonly config: PpoConfig
  readonly shuffle: boolean
  /** Stop as interrupted after this many iterations in total. */
  readonly stopAfter?: number
}

/** Groups of sampled rollouts against a frozen reward model: GRPO and the methods that share its form. */
export interface GroupJob extends StageJobBase, GroupJobPart {}

/** Free generation without labels: prompt rows in, one JSON line per row out (`GenerationRow`). */
export interface GenerateJob extends StageJobBase {
  readonly stage: 'generate'
  readonly prompts: string
  /** Absent: the base model alone. */
  readonly adapter?: string
  readonly referenceAdapter?: string
  readonly rewardAdapter?: string
  readonly greedy: boolean
  readonly temperature: number
  readonly maxNewTokens: number
  readonly maxPromptTokens: number
  readonly seed: number
  /** Narrows the checkpoint's end-of-text ids to one. */
  readonly eosId?: number
}

/** Scores fixed responses with a frozen reward model: rows {id, prompt, completion} in, {id, reward, tokens} out. */
export interface JudgeJob extends StageJobBase {
  readonly stage: 'judge'
  readonly rows: string
  readonly rewardAdapter: string
}

/** Whether the device can compute here, and computes rightly: asked before a study begins on it. Learns and reads nothing. */
export interface DeviceJob extends StageJobBase {
  readonly stage: 'device'
}

/** The credit-geometry audit of stored rollouts: trajectories in, one JSON result out (`runFiles.audit`). Learns nothing. */
export interface CreditAuditJob extends StageJobBase {
  readonly stage: 'credit-audit'
  readonly trajectories: string
  /** PEFT folder of the policy; absent: a fresh adapter with B = 0. */
  readonly adapter?: string
  readonly settings: AuditSettings
}

export type LearningJob = SupervisedJob | PpoJob | GroupJob
export type StageJob =
  | LearningJob
  | GenerateJob
  | JudgeJob
  | DeviceJob
  | CreditAuditJob
  | CreditDatcJob
  | CreditDatcStudyJob
  | DeskJob

export interface CreditDatcJob extends StageJobBase, CreditDatcPart {}
export interface CreditDatcStudyJob extends StageJobBase, CreditDatcStudyPart {}
export interface DeskJob extends StageJobBase, DeskPart {}

/** Parent to child. `stop` and `pause` take effect at the next atomic update. */
export type StageCommand =
  | { readonly type: 'start'; readonly job: StageJob }
  | { readonly type: 'stop' }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }

/** Child to parent. */
export type StageEvent =
  | { readonly type: 'ready'; readonly device: string; readonly deviceReason: string; readonly threads: number }
  /** `done` of `total` units of the whole stage (updates, or rows of a generate/judge job). */
  | { readonly type: 'progress'; readonly phase: string; readonly done: number; readonly total: number }
  /** The resume state and the journal up to `journalBytes` are on disk. */
  | {
      readonly type: 'committed'
      readonly done: number
      readonly total: number
      readonly journalBytes: number
      readonly metrics: Readonly<Record<string, number>>
    }
  | { readonly type: 'paused' }
  | { readonly type: 'finished'; readonly status: 'finished' | 'interrupted'; readonly summary: StageSummary }
  | {
      readonly type: 'failed'
      readonly kind: 'bad-input' | 'failure' | 'out-of-memory' | 'full-disk'
      readonly message: string
      readonly subject?: string
      readonly problem?: string
      readonly where?: string
    }

/** Also written to `summary.json` in the run folder. Durations are kept apart from everything comparable. */
export interface StageSummary {
  readonly stage: StageJob['stage']
  /** Optimizer updates done (per optimizer for PPO), 0 for generate and judge. */
  readonly updates: number
  readonly total: number
  /** SHA-256 of each learned state at the end, by role: `policy`, `reward`, or PPO's four. */
  readonly learnedSha256: Readonly<Record<string, string>>
  readonly initialSha256: Readonly<Record<string, string>>
  readonly baseSha256: string
  readonly trainableParameters: number
  /** Seconds by phase, this process only. */
  readonly seconds: Readonly<Record<string, number>>
  readonly peakRssBytes: number
}

/** File names inside a run folder. */
export const runFiles = {
  job: 'job.json',
  /** Resume state, replaced by rename after every atomic update. */
  state: 'state.safetensors',
  /** One JSON line per update, validation or PPO iteration; no durations, so resumed equals continuous. */
  journal: 'journal.jsonl',
  /** Durations and memory of each commit (`TimingLine`): they differ between equal runs. */
  timings: 'timings.jsonl',
  /** What happened while it ran, with times; written by the workbench. */
  log: 'log.jsonl',
  /** Final PEFT folder (policy or reward; PPO: actor). */
  adapter: 'adapter',
  /** PPO's final critic, PEFT folder with value head. */
  critic: 'critic',
  summary: 'summary.json',
  generations: 'generations.jsonl',
  scores: 'scores.jsonl',
  /** Result of a credit audit: one JSON document. */
  audit: 'credit-audit.json',
  /** Result of a reading of token weights: one JSON document. */
  datc: 'credit-datc.json',
  /** Result of a single-step study: one JSON document. */
  datcStudy: 'credit-datc-study.json',
  /** Trajectories that a stage sampled. */
  rollouts: 'rollouts.jsonl',
} as const

// ---- journal lines -------------------------------------------------------------------------------------------------

/** One line of `timings.jsonl` a commit. */
export interface TimingLine {
  /** The last optimizer update of the commit; null where it holds none. */
  readonly update: number | null
  /** Resident memory of the stage process after the commit. */
  readonly rss_bytes: number
  /** Seconds by phase. */
  readonly seconds: Readonly<Record<string, number>>
}

export interface SftTraceRow {
  readonly id: string
  readonly tokens: number
  readonly sum_logprob: number
}
export interface RewardTraceRow {
  readonly id: string
  readonly chosen: number
  readonly rejected: number
}

export interface UpdateLine {
  readonly kind: 'update'
  readonly epoch: number
  readonly update: number
  readonly learning_rate: number
  readonly denominator: number
  readonly denominator_kind: 'active_response_tokens' | 'pairs'
  readonly loss: number
  /** Global L2 norm before clipping. */
  readonly grad_norm: number
  readonly rows: readonly (SftTraceRow | RewardTraceRow)[]
}

export interface ValidationLine {
  readonly kind: 'validation'
  readonly epoch: number
  readonly population: number
  /** SFT: token-mean negative log-likelihood; reward: mean Bradley-Terry loss. */
  readonly loss: number
  /** Reward only: share of pairs with chosen strictly above rejected. */
  readonly accuracy?: number
  readonly ties?: number
  readonly rows: readonly (SftTraceRow | RewardTraceRow)[]
  readonly used_for_selection: false
}

export interface Rollout {
  readonly rollout_id: string
  readonly prompt_id: string
  readonly prompt_ids: readonly number[]
  readonly response_ids: readonly number[]
  readonly text: string
  readonly finish_reason: 'eos' | 'length'
  /** False when an id beyond the tokenizer's vocabulary was sampled. */
  readonly tokenization_valid: boolean
  /** Behaviour log-probs at temperature 1, recorded at sampling and never replaced; one per response token. */
  readonly old_token_logprobs: readonly number[]
  readonly reference_token_logprobs: readonly number[]
  /** Critic's V on the prefix before each response token, at sampling. */
  readonly values: readonly number[]
  readonly token_rewards: readonly number[]
  readonly advantages: readonly number[]
  readonly returns: readonly number[]
  readonly learned_reward_score: number
  readonly reward_parts: { readonly judge: number; readonly kl: number; readonly truncation: number }
  readonly sampled_actor_reference_logratio: number
}

export interface PpoObservation {
  readonly rollout_id: string
  readonly current_token_logprobs: readonly number[]
  readonly ratios: readonly number[]
  readonly current_values: readonly number[]
  readonly actor_loss: number
  readonly critic_loss: number
  /** Largest |teacher-forced - sampling-time| log-prob; before the first update it is numerical difference only. */
  readonly old_logprob_max_difference: number
}

export interface PpoUpdate {
  readonly update: number
  readonly epoch_within_rollout: number
  readonly learning_rates: { readonly actor: number; readonly critic: number }
  readonly grad_norms: { readonly actor: number; readonly critic: number }
  readonly actor_loss: number
  readonly critic_loss: number
  /** Share of active tokens whose ratio lies outside 1 +- clip_epsilon. */
  readonly clip_fraction: number
  readonly equal_response_denominator: number
  readonly observations: readonly PpoObservation[]
}

export interface IterationLine {
  readonly kind: 'iteration'
  readonly iteration: number
  readonly policy_sha256: string
  readonly reduction: 'response mean, then batch mean'
  readonly rollouts: readonly Rollout[]
  readonly updates: readonly PpoUpdate[]
}

export type JournalLine = UpdateLine | ValidationLine | IterationLine | GroupIterationLine | CreditAuditLine

// ---- outputs of generate and judge jobs ----------------------------------------------------------------------------

export interface GenerationRow {
  readonly id: string
  readonly token_ids: readonly number[]
  readonly text: string
  readonly finish_reason: 'eos' | 'length'
  readonly tokenization_valid: boolean
  /** At temperature 1. */
  readonly logprobs: readonly number[]
  readonly reference_logprobs?: readonly number[]
  readonly learned_reward_score?: number
}

export interface JudgeRow {
  readonly id: string
  readonly reward: number
  readonly tokens: number
}
