/** A study's settings: which they are, and what each stage takes from them. */
import { BadInput } from '../../shared/bad-input.ts'
import {
  type DpoConfig,
  dpoDefaults,
  embeddedPreset,
  type GroupConfig,
  minimumPreset,
  type PpoConfig,
  type StudyConfig,
  studyConfigSchema,
  type TrainingConfig,
} from '../../shared/training-config.ts'
import { canonicalJson } from '../store/json.ts'
import { sha256 } from './files-on-disk.ts'

export const presets: Readonly<Record<string, StudyConfig>> = { embedded: embeddedPreset, minimum: minimumPreset }

export interface ConfigChoice {
  /** A preset's name; default `embedded`. */
  readonly preset?: string
  /** Settings in place of a preset, checked here. */
  readonly config?: unknown
  /** What to call them in messages: the file they came from. */
  readonly configSource?: string
  readonly seed?: number
}

/** Throws `BadInput` for an unknown preset, or naming the setting that is wrong. */
export function chooseConfig(choice: ConfigChoice): StudyConfig {
  const seeded = (config: StudyConfig) => (choice.seed === undefined ? config : { ...config, seed: choice.seed })
  if (choice.config === undefined) {
    const name = choice.preset ?? 'embedded'
    const preset = Object.hasOwn(presets, name) ? presets[name] : undefined
    if (preset === undefined) throw new BadInput('--preset', `"${name}" is neither embedded, minimum nor a file`)
    return checked(seeded(preset), '--seed')
  }
  return seeded(checked(choice.config, choice.configSource ?? 'config'))
}

function checked(config: unknown, source: string): StudyConfig {
  const result = studyConfigSchema.safeParse(config)
  if (!result.success) {
    const issue = result.error.issues[0]
    throw new BadInput(source, issue?.message ?? 'is not a study configuration', issue?.path.join('.') || undefined)
  }
  return result.data
}

export const configSha256 = (config: StudyConfig): string => sha256(canonicalJson(config))

/** Throws `BadInput` with both hashes when the choice is not the configuration that a study began with. */
export function requireSameConfig(choice: ConfigChoice, recorded: string): void {
  const given = configSha256(chooseConfig(choice))
  if (given === recorded) return
  throw new BadInput(
    choice.configSource ?? '--preset',
    `is not the configuration the study began with: SHA-256 is ${given}, recorded is ${recorded}`,
  )
}

function shared(config: StudyConfig) {
  const { seed, warmup_ratio, minimum_lr_ratio, weight_decay, gradient_clip, lora_rank, lora_alpha } = config
  const { max_prompt_tokens, max_new_tokens, max_context_tokens } = config
  return {
    seed,
    warmup_ratio,
    minimum_lr_ratio,
    weight_decay,
    gradient_clip,
    lora_rank,
    lora_alpha,
    max_prompt_tokens,
    max_new_tokens,
    max_context_tokens,
  }
}

export function supervisedConfig(config: StudyConfig, stage: 'sft' | 'reward'): TrainingConfig {
  return {
    ...shared(config),
    accumulation_examples: config.accumulation_examples,
    learning_rate: stage === 'sft' ? config.sft_learning_rate : config.reward_learning_rate,
    epochs: stage === 'sft' ? config.sft_epochs : config.reward_epochs,
  }
}

export function ppoConfig(config: StudyConfig): PpoConfig {
  const { ppo_actor_lr, ppo_critic_lr, prompts_per_rollout, rollout_iterations, ppo_epochs_per_rollout } = config
  const { clip_epsilon, kl_coefficient, gamma, gae_lambda, value_loss_coef, temperature, truncation_penalty } = config
  return {
    ...shared(config),
    ppo_actor_lr,
    ppo_critic_lr,
    prompts_per_rollout,
    rollout_iterations,
    ppo_epochs_per_rollout,
    clip_epsilon,
    kl_coefficient,
    gamma,
    gae_lambda,
    value_loss_coef,
    temperature,
    truncation_penalty,
    ...auditOf(config),
  }
}

/** A study that never spoke of audits keeps its configuration's hash. */
const auditOf = ({ audit_every }: StudyConfig) => (audit_every === undefined ? {} : { audit_every })

/** Groups of 8 and one update a rollout; all else as the study's PPO has it. */
export function groupConfig(config: StudyConfig): GroupConfig {
  const { prompts_per_rollout, rollout_iterations, clip_epsilon, kl_coefficient } = config
  const { temperature, truncation_penalty } = config
  return {
    ...shared(config),
    learning_rate: config.ppo_actor_lr,
    prompts_per_rollout,
    group_size: 8,
    rollout_iterations,
    epochs_per_rollout: 1,
    clip_epsilon,
    kl_coefficient,
    temperature,
    truncation_penalty,
    max_weight: 4,
    ablation: 'none',
    gate: 'attention',
    gate_min: 0.8,
    gate_max: 1,
    gae_lambda: config.gae_lambda,
    critic_learning_rate: config.ppo_critic_lr,
    value_loss_coef: config.value_loss_coef,
    ...auditOf(config),
  }
}

export const dpoConfig = (config: StudyConfig): DpoConfig => ({
  ...supervisedConfig(config, 'reward'),
  ...dpoDefaults(config),
})

/** Evaluation draws nothing (it is greedy); its seed is fixed apart from learning's all the same. */
export const generationSeed = (config: StudyConfig): number => config.seed + 300
