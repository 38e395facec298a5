/**
 * Which of our settings has which name in another engine, and what has none. One line a setting; the README of an export
 * is made from these lines, and so is what the engine's configuration file holds.
 */
import type { Method } from './training-plan.ts'

export interface SettingName {
  readonly ours: string
  /** Null: the engine has no such setting, and `note` says what it does instead. */
  readonly theirs: string | null
  readonly note?: string
}

const auditing: SettingName = {
  ours: 'audit_every',
  theirs: null,
  note: 'no audit of the gradient while it learns; export trajectories holds what was recorded here',
}

const trlShared: readonly SettingName[] = [
  { ours: 'seed', theirs: 'seed, data_seed', note: 'the engine draws its own order of rows' },
  { ours: 'lora_rank, lora_alpha', theirs: 'LoraConfig r, lora_alpha', note: 'dropout 0, every projection' },
  {
    ours: 'warmup_ratio, minimum_lr_ratio',
    theirs: 'optimizers=(AdamW, LambdaLR)',
    note: 'the same schedule, step for step',
  },
  { ours: 'weight_decay', theirs: 'AdamW weight_decay' },
  { ours: 'gradient_clip', theirs: 'max_grad_norm' },
  {
    ours: 'max_prompt_tokens, max_context_tokens',
    theirs: null,
    note: 'rows are checked against both when they are exported; settings.yaml keeps them under limits',
  },
  auditing,
]

const trlSupervised: readonly SettingName[] = [
  { ours: 'learning_rate', theirs: 'AdamW lr' },
  { ours: 'accumulation_examples', theirs: 'gradient_accumulation_steps with a batch of 1' },
  { ours: 'epochs', theirs: 'max_steps', note: 'as many updates as the epochs take' },
]

const trlGroup: readonly SettingName[] = [
  { ours: 'prompts_per_rollout', theirs: 'gradient_accumulation_steps', note: 'one prompt with its group a step' },
  { ours: 'rollout_iterations', theirs: 'max_steps', note: 'iterations × epochs over each rollout' },
  { ours: 'clip_epsilon', theirs: 'epsilon' },
  { ours: 'temperature', theirs: 'temperature', note: 'top_p 1, top_k off' },
  { ours: 'max_new_tokens', theirs: 'max_completion_length' },
  { ours: 'truncation_penalty', theirs: 'the reward function', note: 'added where a response ends without its EOS' },
]

const trlRl: Readonly<Record<string, readonly SettingName[]>> = {
  ppo: [
    {
      ours: 'method ppo',
      theirs: null,
      note: 'TRL no longer has PPO with a critic: the stage runs RLOO, whose baseline is the mean of the other responses to the prompt',
    },
    { ours: 'ppo_actor_lr', theirs: 'AdamW lr' },
    { ours: 'ppo_epochs_per_rollout', theirs: 'num_iterations' },
    {
      ours: 'kl_coefficient',
      theirs: 'beta',
      note: 'both subtract it from the reward; RLOO for the whole response, ours at each token',
    },
    {
      ours: 'ppo_critic_lr, value_loss_coef, gamma, gae_lambda',
      theirs: null,
      note: 'there is no critic and no token-level return',
    },
    {
      ours: 'one response a prompt',
      theirs: 'num_generations',
      note: 'RLOO needs a group: see group_size in settings.yaml',
    },
    { ours: 'response mean, then batch mean', theirs: null, note: 'RLOO clips the ratio of the whole response' },
  ],
  grpo: [
    { ours: 'learning_rate', theirs: 'AdamW lr' },
    { ours: 'group_size', theirs: 'num_generations' },
    { ours: 'epochs_per_rollout', theirs: 'num_iterations' },
    { ours: 'kl_coefficient', theirs: 'beta' },
    { ours: 'response mean, then batch mean', theirs: 'loss_type "grpo"' },
    { ours: '(R − mean)/(deviation of n − 1 + 1e-4)', theirs: 'scale_rewards "group"' },
  ],
  rloo: [
    { ours: 'learning_rate', theirs: 'AdamW lr' },
    { ours: 'group_size', theirs: 'num_generations' },
    { ours: 'epochs_per_rollout', theirs: 'num_iterations' },
    { ours: 'kl_coefficient', theirs: 'beta', note: "subtracted from RLOO's reward; ours stands in the loss" },
    { ours: 'response mean, then batch mean', theirs: null, note: 'RLOO clips the ratio of the whole response' },
  ],
}

/** Token weights that TRL has no place for: its GRPO, and what is lost. */
const weighted = (method: string, what: string): readonly SettingName[] => [
  { ours: `method ${method}`, theirs: null, note: `TRL has no ${what}: the stage runs plain GRPO` },
  ...trlRl.grpo!,
]
const trlByMethod: Readonly<Record<Method, readonly SettingName[]>> = {
  sft: [
    ...trlSupervised,
    {
      ours: 'mean over response tokens of the update',
      theirs: 'completion_only_loss',
      note: 'the loss is divided by the tokens of the whole accumulated batch',
    },
  ],
  reward: [
    ...trlSupervised,
    {
      ours: 'score at the last response token, head with bias',
      theirs: 'AutoModelForSequenceClassification',
      note: 'study.py gives its head a bias; PAD as the last token of a row would be passed over',
    },
  ],
  dpo: [...trlSupervised, { ours: 'beta', theirs: 'beta' }],
  ppo: [...trlGroup, ...trlRl.ppo!],
  grpo: [...trlGroup, ...trlRl.grpo!],
  rloo: [...trlGroup, ...trlRl.rloo!],
  datc: [...trlGroup, ...weighted('datc', 'direction-aware token weights (max_weight, ablation)')],
  red: [...trlGroup, ...weighted('red', 'redistribution of the reward over prefixes')],
  p2t: [...trlGroup, ...weighted('p2t', 'token rewards by replacement')],
}

const verlShared: readonly SettingName[] = [
  { ours: 'seed', theirs: 'data.seed', note: 'the engine draws its own order of rows' },
  {
    ours: 'lora_rank, lora_alpha',
    theirs: 'actor_rollout_ref.model.lora_rank, lora_alpha',
    note: "on a base that has the policy's adapter merged in",
  },
  { ours: 'warmup_ratio', theirs: 'actor.optim.lr_warmup_steps_ratio' },
  { ours: 'minimum_lr_ratio', theirs: 'actor.optim.min_lr_ratio', note: 'verl decays along a cosine, not a line' },
  { ours: 'weight_decay', theirs: 'actor.optim.weight_decay' },
  { ours: 'gradient_clip', theirs: 'actor.grad_clip' },
  auditing,
]

const verlRl: readonly SettingName[] = [
  { ours: 'prompts_per_rollout', theirs: 'data.train_batch_size, actor.ppo_mini_batch_size' },
  { ours: 'rollout_iterations', theirs: 'trainer.total_training_steps' },
  {
    ours: 'clip_epsilon',
    theirs: 'actor.clip_ratio',
    note: 'the second clip of negative advantages is set out of reach',
  },
  { ours: 'temperature', theirs: 'rollout.temperature', note: 'top_p 1, top_k off' },
  { ours: 'max_prompt_tokens, max_new_tokens', theirs: 'data.max_prompt_length, max_response_length' },
  { ours: 'response mean, then batch mean', theirs: 'actor.loss_agg_mode "seq-mean-token-mean"' },
  {
    ours: 'truncation_penalty',
    theirs: null,
    note: 'the reward function sees no token ids: it counts as cut what is tokenised to max_new_tokens or more',
  },
]

const verlGroup: readonly SettingName[] = [
  { ours: 'learning_rate', theirs: 'actor.optim.lr' },
  { ours: 'group_size', theirs: 'rollout.n' },
  { ours: 'epochs_per_rollout', theirs: 'actor.ppo_epochs' },
  { ours: 'kl_coefficient', theirs: 'actor.kl_loss_coef', note: 'kl_loss_type low_var_kl, the same estimator' },
]
const verlWeighted = (method: string, what: string): readonly SettingName[] => [
  { ours: `method ${method}`, theirs: null, note: `verl has no ${what}: the stage runs plain GRPO` },
  ...verlGroup,
]
const verlByMethod: Readonly<Record<Method, readonly SettingName[]>> = {
  sft: [
    { ours: 'learning_rate', theirs: 'optim.lr' },
    { ours: 'accumulation_examples', theirs: 'data.train_batch_size' },
    { ours: 'epochs', theirs: 'trainer.total_epochs' },
    {
      ours: 'prompt and completion as ids',
      theirs: 'data.messages_key',
      note: "verl tokenises messages itself; the template's line break after the last EOS becomes a response token",
    },
  ],
  reward: [
    {
      ours: 'the reward stage',
      theirs: null,
      note: 'verl trains no Bradley–Terry model: reward.py scores with the exported adapter; export trl trains one',
    },
  ],
  dpo: [
    { ours: 'the dpo stage', theirs: null, note: 'verl has no trainer for it in its main package; export trl has one' },
  ],
  ppo: [
    ...verlRl,
    { ours: 'ppo_actor_lr', theirs: 'actor.optim.lr' },
    {
      ours: 'ppo_critic_lr',
      theirs: 'critic.optim.lr',
      note: 'a fresh value head; ours begins on the SFT adapter too',
    },
    { ours: 'ppo_epochs_per_rollout', theirs: 'actor.ppo_epochs, critic.ppo_epochs' },
    { ours: 'kl_coefficient', theirs: 'algorithm.use_kl_in_reward, kl_ctrl.kl_coef', note: 'at each token, as ours' },
    {
      ours: 'gamma, gae_lambda',
      theirs: 'algorithm.gamma, lam',
      note: 'verl whitens advantages, ours are used as they are',
    },
    {
      ours: 'value_loss_coef',
      theirs: null,
      note: 'the critic has an optimizer of its own; verl halves its loss as ours at 0.5 does, and clipping of values is set out of reach',
    },
  ],
  grpo: [
    ...verlRl,
    ...verlGroup,
    { ours: '(R − mean)/(deviation + 1e-4)', theirs: 'algorithm.norm_adv_by_std_in_grpo', note: "verl's ε is 1e-6" },
  ],
  rloo: [...verlRl, ...verlGroup],
  datc: [...verlRl, ...verlWeighted('datc', 'direction-aware token weights (max_weight, ablation)')],
  red: [...verlRl, ...verlWeighted('red', 'redistribution of the reward over prefixes')],
  p2t: [...verlRl, ...verlWeighted('p2t', 'token rewards by replacement')],
}

/** What holds for every stage of a plan, then what holds for one method. */
export const settingNames = {
  trl: { shared: trlShared, byMethod: trlByMethod },
  verl: { shared: verlShared, byMethod: verlByMethod },
} as const
