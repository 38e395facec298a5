/** The settings of the learning stages: names and defaults as the reference study has them, one flat object. */
import { z } from 'zod'

/** Bounds are far beyond what anyone trains with: they keep a slip of the finger from ending in numbers that are none. */
const rate = z.number().nonnegative().max(1e4)
const positive = z.number().positive().max(1e15)
/** No study takes more; a slip of the finger is caught before it costs a day. */
const count = z.number().int().positive().max(1_000_000)
/** A low-rank factor wider than any projection is no longer one, and would not fit in memory. */
const rank = z.number().int().positive().max(4096)
/** Audit every k-th update while learning; 0 or absent: none. */
const every = z.number().int().nonnegative().max(1_000_000).optional()
const fraction = z.number().min(0).max(1)

/** Settings every supervised stage shares (`train sft`, `train reward`). */
export const trainingConfigSchema = z.strictObject({
  learning_rate: rate,
  accumulation_examples: count,
  epochs: count,
  warmup_ratio: fraction,
  minimum_lr_ratio: fraction,
  weight_decay: rate,
  gradient_clip: positive,
  seed: z.number().int(),
  lora_rank: rank,
  lora_alpha: positive,
  max_prompt_tokens: count,
  max_new_tokens: count,
  max_context_tokens: count,
})
export type TrainingConfig = z.infer<typeof trainingConfigSchema>

/** PPO's settings (`train ppo`). Token rewards are -kl_coefficient * (behaviour - reference log-prob). */
export const ppoConfigSchema = z.strictObject({
  ppo_actor_lr: rate,
  ppo_critic_lr: rate,
  prompts_per_rollout: count,
  rollout_iterations: count,
  ppo_epochs_per_rollout: count,
  clip_epsilon: z.number().positive().max(1),
  kl_coefficient: rate,
  gamma: fraction,
  gae_lambda: fraction,
  value_loss_coef: rate,
  temperature: positive,
  truncation_penalty: z.number().min(-1e6).max(1e6),
  warmup_ratio: fraction,
  minimum_lr_ratio: fraction,
  weight_decay: rate,
  gradient_clip: positive,
  audit_every: every,
  seed: z.number().int(),
  lora_rank: rank,
  lora_alpha: positive,
  max_prompt_tokens: count,
  max_new_tokens: count,
  max_context_tokens: count,
})
export type PpoConfig = z.infer<typeof ppoConfigSchema>

/**
 * Settings of the trainers that sample groups of rollouts of one prompt (`train grpo|rloo|datc|red|p2t|comppo`). `max_weight`
 * and `ablation` are DATC's; the gate, `gae_lambda` and the critic's are CompPO's.
 */
export const groupConfigSchema = z.strictObject({
  learning_rate: rate,
  prompts_per_rollout: count,
  group_size: count,
  rollout_iterations: count,
  epochs_per_rollout: count,
  clip_epsilon: z.number().positive().max(1),
  kl_coefficient: rate,
  temperature: positive,
  truncation_penalty: z.number().min(-1e6).max(1e6),
  max_weight: z.number().gt(1).max(1e6),
  ablation: z.enum(['none', 'no-angle', 'shuffled']),
  gate: z.enum(['attention', 'shuffled', 'position', 'constant']),
  gate_min: fraction,
  gate_max: fraction,
  gae_lambda: fraction,
  critic_learning_rate: rate,
  value_loss_coef: rate,
  warmup_ratio: fraction,
  minimum_lr_ratio: fraction,
  weight_decay: rate,
  gradient_clip: positive,
  audit_every: every,
  seed: z.number().int(),
  lora_rank: rank,
  lora_alpha: positive,
  max_prompt_tokens: count,
  max_new_tokens: count,
  max_context_tokens: count,
})
export type GroupConfig = z.infer<typeof groupConfigSchema>

/** Direct preference optimisation (`train dpo`): the supervised settings, and how strongly a preference is felt. */
export const dpoConfigSchema = trainingConfigSchema.extend({ beta: positive })
export type DpoConfig = z.infer<typeof dpoConfigSchema>

/** The whole study's settings: the flat file of the reference study. */
export const studyConfigSchema = z.strictObject({
  name: z.string().min(1),
  seed: z.number().int(),
  lora_rank: rank,
  lora_alpha: positive,
  max_prompt_tokens: count,
  max_new_tokens: count,
  max_context_tokens: count,
  accumulation_examples: count,
  warmup_ratio: fraction,
  minimum_lr_ratio: fraction,
  weight_decay: rate,
  gradient_clip: positive,
  sft_epochs: count,
  sft_learning_rate: rate,
  reward_epochs: count,
  reward_learning_rate: rate,
  rollout_iterations: count,
  prompts_per_rollout: count,
  ppo_epochs_per_rollout: count,
  interrupt_iteration: count,
  ppo_actor_lr: rate,
  ppo_critic_lr: rate,
  clip_epsilon: z.number().positive().max(1),
  kl_coefficient: rate,
  gamma: fraction,
  gae_lambda: fraction,
  value_loss_coef: rate,
  temperature: positive,
  truncation_penalty: z.number().min(-1e6).max(1e6),
  audit_every: every,
})
export type StudyConfig = z.infer<typeof studyConfigSchema>

/** The reference study's own settings, meant for a real Qwen2.5-0.5B-Instruct folder. */
export const minimumPreset: StudyConfig = {
  name: 'minimum',
  seed: 49,
  lora_rank: 8,
  lora_alpha: 16,
  max_prompt_tokens: 256,
  max_new_tokens: 64,
  max_context_tokens: 320,
  accumulation_examples: 8,
  warmup_ratio: 0.1,
  minimum_lr_ratio: 0.1,
  weight_decay: 0.01,
  gradient_clip: 1,
  sft_epochs: 3,
  sft_learning_rate: 2e-5,
  reward_epochs: 2,
  reward_learning_rate: 2e-5,
  rollout_iterations: 100,
  prompts_per_rollout: 4,
  ppo_epochs_per_rollout: 2,
  interrupt_iteration: 40,
  ppo_actor_lr: 5e-6,
  ppo_critic_lr: 1e-5,
  clip_epsilon: 0.2,
  kl_coefficient: 0.02,
  gamma: 1,
  gae_lambda: 0.95,
  value_loss_coef: 0.5,
  temperature: 1,
  truncation_penalty: -1,
}

/**
 * The same study for the embedded model: only learning rates differ, chosen on training and validation rows alone.
 * docs/embedded-model.md has the grid, its outcomes, and what was known when each rule was written.
 */
export const embeddedPreset: StudyConfig = {
  ...minimumPreset,
  name: 'embedded',
  sft_learning_rate: 3e-3,
  reward_learning_rate: 3e-4,
  ppo_actor_lr: 3e-4,
  ppo_critic_lr: 3e-4,
}

/**
 * What DPO has of its own: once over the reward model's pairs, at a tenth of the policy's rate. Pairs that are told apart easily
 * go on being pushed apart: at the policy's own rate the rejected responses take the chosen ones down with them
 * (docs/credit.md has the figures).
 */
export const dpoDefaults = ({ ppo_actor_lr: rate }: StudyConfig) => ({
  learning_rate: Number((rate / 10).toPrecision(12)),
  epochs: 1,
  beta: 0.1,
})
