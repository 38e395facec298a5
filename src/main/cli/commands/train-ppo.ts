/** `recompense train ppo`: PPO of a policy against a frozen reward model. */
import { Option } from 'commander'
import { define } from '../command.ts'
import { type EnvironmentOptions, environmentFlags } from '../desk-flags.ts'
import { initAdapterFlag, type TrainOptions, train, trainDetails, trainFlags } from '../train-flags.ts'

interface Options extends TrainOptions, EnvironmentOptions {
  readonly initAdapter: string
  readonly rewardAdapter?: string
}

export const trainPpo = define<Options>({
  name: 'ppo',
  summary: 'PPO of a policy against a frozen reward model',
  options: trainFlags('{id, prompt}; with --environment desk, rows of desk tasks', [
    initAdapterFlag("the policy's start, the frozen reference, and the critic's LoRA").makeOptionMandatory(),
    new Option(
      '--reward-adapter <dir>',
      'frozen reward model: PEFT adapter with its score head; the desk can judge without',
    ),
    ...environmentFlags(),
  ]),
  details: `Settings: ppo_actor_lr, ppo_critic_lr, prompts_per_rollout, rollout_iterations, ppo_epochs_per_rollout, clip_epsilon,
kl_coefficient, gamma, gae_lambda, value_loss_coef, temperature, truncation_penalty, warmup_ratio, minimum_lr_ratio,
weight_decay, gradient_clip, audit_every, seed, max_prompt_tokens, max_new_tokens, max_context_tokens. learning_rate,
accumulation_examples and epochs are accepted and unused. audit_every k records, for every k-th update, the shares of
rollouts and tokens in the gradient (0: none). The critic is saved in the adapter's folder "critic".
With --environment desk a rollout is an episode of several turns: prompts_per_rollout episodes an iteration, advantages along
the agent's tokens alone (observations take no step), turn rewards at the last token of their turn; an episode that was cut
goes on with the critic's value. truncation_penalty and the token limits are then those of the rules.
${trainDetails}`,
  example:
    'train ppo --model resources/models/embedded --data resources/examples/prompts.jsonl --init-adapter /tmp/sft-adapter --reward-adapter /tmp/reward-adapter --config resources/examples/short-ppo.yaml --out /tmp/ppo-adapter',
  run: async (context, options) => {
    const { ppoSettings } = await import('../stage-settings.ts')
    const { turnPpoSettings } = await import('../../workbench/train-config.ts')
    const { preset, config: file, seed, rewardAdapter } = options
    const config = ppoSettings({ preset, file, seed, note: context.note })
    const { environmentOf } = await import('../desk-rules.ts')
    const environment = environmentOf(options)
    return train(context, options, {
      ...(environment === undefined
        ? { stage: 'ppo', config }
        : { stage: 'turn-ppo', environment, ...turnPpoSettings(config) }),
      ...(rewardAdapter === undefined ? {} : { rewardAdapter }),
      ...(file === undefined ? {} : { configSource: file }),
    })
  },
})
