/** `recompense train ppo`: PPO of a policy against a frozen reward model. */
import { Option } from 'commander'
import { define } from '../command.ts'
import { initAdapterFlag, type TrainOptions, train, trainDetails, trainFlags } from '../train-flags.ts'

interface Options extends TrainOptions {
  readonly initAdapter: string
  readonly rewardAdapter: string
}

export const trainPpo = define<Options>({
  name: 'ppo',
  summary: 'PPO of a policy against a frozen reward model',
  options: trainFlags('{id, prompt}', [
    initAdapterFlag("the policy's start, the frozen reference, and the critic's LoRA").makeOptionMandatory(),
    new Option('--reward-adapter <dir>', 'frozen reward model: PEFT adapter with its score head').makeOptionMandatory(),
  ]),
  details: `Settings: ppo_actor_lr, ppo_critic_lr, prompts_per_rollout, rollout_iterations, ppo_epochs_per_rollout, clip_epsilon,
kl_coefficient, gamma, gae_lambda, value_loss_coef, temperature, truncation_penalty, warmup_ratio, minimum_lr_ratio,
weight_decay, gradient_clip, seed, max_prompt_tokens, max_new_tokens, max_context_tokens. learning_rate,
accumulation_examples and epochs are accepted and unused. The critic is saved in the adapter's folder "critic".
${trainDetails}`,
  example:
    'train ppo --model resources/models/embedded --data resources/examples/prompts.jsonl --init-adapter /tmp/sft-adapter --reward-adapter /tmp/reward-adapter --config resources/examples/short-ppo.yaml --out /tmp/ppo-adapter',
  run: async (context, options) => {
    const { ppoSettings } = await import('../stage-settings.ts')
    const { preset, config: file, seed, rewardAdapter } = options
    return train(context, options, {
      stage: 'ppo',
      rewardAdapter,
      config: ppoSettings({ preset, file, seed, note: context.note }),
      ...(file === undefined ? {} : { configSource: file }),
    })
  },
})
