/** Every setting of every stage in words: one list for all wizards. A test holds it against the schemas. */
import type { DpoConfig, GroupConfig, PpoConfig, StudyConfig, TrainingConfig } from '../../../shared/training-config.ts'

export type SettingKey =
  | keyof StudyConfig
  | keyof TrainingConfig
  | keyof PpoConfig
  | keyof GroupConfig
  | keyof DpoConfig

export const groupTitles = {
  study: 'Study',
  sft: 'SFT: learning from demonstrations',
  reward: 'Reward model: learning from pairs',
  training: 'Training',
  rollouts: 'Rollouts',
  updates: 'Updates',
  advantages: 'PPO: advantages',
  credit: 'Credit and preference',
  adapter: 'LoRA adapter',
  optimizer: 'Optimiser',
  lengths: 'Lengths',
} as const
export type GroupName = keyof typeof groupTitles

export interface FieldText {
  readonly name: string
  /** Empty where the setting is a pure number. */
  readonly unit: string
  /** What it does, in one sentence. */
  readonly sentence: string
  readonly group: GroupName
}

const field = (group: GroupName, name: string, unit: string, sentence: string): FieldText => ({
  group,
  name,
  unit,
  sentence,
})

export const fieldTexts: Readonly<Record<SettingKey, FieldText>> = {
  name: field('study', 'Name of the settings', '', 'What these settings are called in lists and reports.'),
  seed: field(
    'study',
    'Seed',
    '',
    'Decides the split of the data, the fresh adapters, the order of rows and every sampled token; same seed, device and threads, same bytes.',
  ),
  sft_epochs: field('sft', 'Epochs', 'passes', 'How often each demonstration is learned from.'),
  sft_learning_rate: field(
    'sft',
    'Learning rate',
    'at its peak',
    'Step size after the warm-up; it then falls linearly.',
  ),
  reward_epochs: field('reward', 'Epochs', 'passes', 'How often each preference pair is learned from.'),
  reward_learning_rate: field(
    'reward',
    'Learning rate',
    'at its peak',
    'Step size for the adapter and the score head after the warm-up; it then falls linearly.',
  ),
  epochs: field('training', 'Epochs', 'passes', 'How often each row is learned from.'),
  learning_rate: field(
    'training',
    'Learning rate',
    'at its peak',
    'Step size after the warm-up; it then falls linearly.',
  ),
  rollout_iterations: field(
    'rollouts',
    'Iterations',
    'iterations',
    'How often the policy answers new prompts, is scored, and is updated.',
  ),
  prompts_per_rollout: field(
    'rollouts',
    'Prompts an iteration',
    'prompts',
    'How many prompts are answered before an update.',
  ),
  temperature: field('rollouts', 'Temperature', '', 'Of the sampling; 1 samples from the policy as it is.'),
  truncation_penalty: field(
    'rollouts',
    'Truncation penalty',
    'reward',
    'Added to the last token of a response that was cut at the token limit instead of ending itself.',
  ),
  interrupt_iteration: field(
    'rollouts',
    'Interruption under test',
    'iterations',
    'After how many iterations the resume check breaks off and goes on, to show that nothing changes by it.',
  ),
  ppo_epochs_per_rollout: field(
    'updates',
    'Updates a rollout',
    'passes',
    'How often the same rollouts are learned from before new ones are sampled.',
  ),
  ppo_actor_lr: field('updates', 'Learning rate of the actor', 'at its peak', 'Step size of the policy being trained.'),
  ppo_critic_lr: field('updates', 'Learning rate of the critic', 'at its peak', 'Step size of the value estimate.'),
  clip_epsilon: field(
    'updates',
    'Clip range',
    'ratio',
    'How far the probability of a token may move from where it was sampled before its gradient is cut, up or down.',
  ),
  audit_every: field(
    'updates',
    'Credit audit',
    'updates',
    'Every how many updates the shares of rollouts and tokens in the gradient are recorded, with proof that they add up; 0 records none.',
  ),
  kl_coefficient: field(
    'updates',
    'KL coefficient',
    'reward per nat',
    'What each token pays for being likelier under the policy than under the SFT reference; 0 lets it drift freely.',
  ),
  value_loss_coef: field('updates', 'Value loss coefficient', '', 'Weight of the squared error of the critic.'),
  gamma: field(
    'advantages',
    'Discount γ',
    'per token',
    'How much a reward one token later counts; 1 counts it in full.',
  ),
  gae_lambda: field(
    'advantages',
    'GAE λ',
    'per token',
    'Between 0, trusting the critic at every token, and 1, trusting only the rewards that came.',
  ),
  group_size: field(
    'rollouts',
    'Rollouts of a prompt',
    'rollouts',
    'How many are sampled of each prompt and compared with each other.',
  ),
  epochs_per_rollout: field(
    'updates',
    'Updates a rollout',
    'passes',
    'How often the same rollouts are learned from before new ones are sampled.',
  ),
  max_weight: field(
    'credit',
    'Largest weight λ',
    'of the advantage',
    'Weights of tokens lie in [1/λ, λ] and have mean 1 over a response (DATC only).',
  ),
  ablation: field(
    'credit',
    'Ablation',
    'none, no-angle or shuffled',
    'Control of the weights, by leaving the angle out or putting them at other tokens (DATC only).',
  ),
  gate: field(
    'credit',
    'Gate',
    'attention, shuffled, position or constant',
    'Where a token’s gate comes from: the policy’s attention, or a control of it (CompPO only).',
  ),
  gate_min: field('credit', 'Least gate', '0 to 1', 'Gate where attention is spread evenly (CompPO only).'),
  gate_max: field('credit', 'Largest gate', '0 to 1', 'Gate where attention is on one position (CompPO only).'),
  critic_learning_rate: field(
    'credit',
    'Critic learning rate',
    'a step',
    'Of the linear critic on the policy’s states (CompPO only).',
  ),
  beta: field(
    'credit',
    'Preference β',
    'per nat',
    'How strongly a log-ratio to the reference counts as a preference (DPO only).',
  ),
  lora_rank: field('adapter', 'Rank', '', 'Width of the trainable matrices beside each frozen projection.'),
  lora_alpha: field('adapter', 'Alpha', '', 'The adapter’s contribution is scaled by alpha divided by rank.'),
  accumulation_examples: field(
    'optimizer',
    'Examples an update',
    'rows',
    'How many rows give one optimiser step in SFT and reward training.',
  ),
  warmup_ratio: field(
    'optimizer',
    'Warm-up',
    'of the updates',
    'Share of the updates over which the learning rate rises to its peak.',
  ),
  minimum_lr_ratio: field(
    'optimizer',
    'Final learning rate',
    'of the peak',
    'What is left of the learning rate at the last update.',
  ),
  weight_decay: field(
    'optimizer',
    'Weight decay',
    'per step × rate',
    'Pull of every trainable weight towards zero, apart from the gradient (AdamW).',
  ),
  gradient_clip: field('optimizer', 'Gradient clip', 'L2 norm', 'A gradient longer than this is shortened to it.'),
  max_prompt_tokens: field('lengths', 'Longest prompt', 'tokens', 'A longer prompt is refused by its id, never cut.'),
  max_new_tokens: field(
    'lengths',
    'Longest response',
    'tokens',
    'Sampling stops here; a longer response in the data is refused by its id.',
  ),
  max_context_tokens: field('lengths', 'Longest prompt and response', 'tokens', 'Limit of both together.'),
}
