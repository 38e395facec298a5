/** `recompense train grpo|rloo|datc|red|p2t|comppo`: groups of rollouts against a frozen reward model, by method of credit. */
import { Option } from 'commander'
import { outcomeStages } from '../../../shared/group-run.ts'
import { define } from '../command.ts'
import { type EnvironmentOptions, environmentFlags } from '../desk-flags.ts'
import { initAdapterFlag, type TrainOptions, train, trainDetails, trainFlags } from '../train-flags.ts'

interface Options extends TrainOptions, EnvironmentOptions {
  readonly initAdapter: string
  readonly rewardAdapter?: string
}

type OutcomeStage = (typeof outcomeStages)[number]

const summaries: Readonly<Record<OutcomeStage, string>> = {
  grpo: 'group-relative policy optimisation against a frozen reward model',
  rloo: 'the same with leave-one-out advantages',
  datc: "GRPO with each response's advantage shared among its tokens along the reward model's gradient",
  red: "token rewards from the reward model's prefix scores, compared over the group",
  p2t: 'token rewards from first-order influences of a null token, compared over the group',
  comppo: "generalised advantages gated by the policy's own attention, with a linear critic on its states",
}

const credits: Readonly<Record<OutcomeStage, string>> = {
  grpo: 'Every token of a response gets (R − mean)/(deviation + 1e-4) over its group.',
  rloo: 'Every token of a response gets R minus the mean of the others of its group.',
  datc: `A token gets its response's GRPO advantage times a weight of mean 1 in [1/max_weight, max_weight], by directional credit
(see credit datc). ablation is none, no-angle or shuffled.`,
  red: `A token is paid what it changes in the reward model's score of the response so far; rewards are standardised over the
tokens of the group and summed to the end of the response.`,
  p2t: `A token is paid its first-order influence on the score, against PAD in its place; rewards are standardised over the tokens
of the group and summed to the end of the response.`,
  comppo: `Comp-GAE: δ_t = r_t + g_t V_{t+1} − V_t, A_t = δ_t + g_t gae_lambda A_{t+1}; the gate g_t in [gate_min, gate_max] grows with the
concentration of the attention that predicts the token. V is a linear head on the policy's hidden states, saved in the
folder "critic". gate is attention, or a control: shuffled within a response, by position, or constant. Groups are not compared.`,
}

/** What a method's own settings are called, beside those of all. */
const ownSettings: Readonly<Partial<Record<OutcomeStage, string>>> = {
  datc: 'max_weight, ablation, ',
  comppo: 'gate, gate_min, gate_max, gae_lambda, critic_learning_rate,\nvalue_loss_coef, ',
}

const trainBy = (stage: OutcomeStage) =>
  define<Options>({
    name: stage,
    summary: summaries[stage],
    options: trainFlags('{id, prompt}; with --environment desk, rows of desk tasks', [
      initAdapterFlag("the policy's start and the frozen reference").makeOptionMandatory(),
      new Option(
        '--reward-adapter <dir>',
        'frozen reward model: PEFT adapter with its score head; the desk can judge without',
      ),
      ...environmentFlags(),
    ]),
    details: `${credits[stage]}
A response cut at the token limit has truncation_penalty added to its score.
With --environment desk a rollout is an episode of several turns, judged by the desk's rules (help desk rollouts); its agent
tokens alone are trained, and truncation_penalty and the token limits are those of the rules.
Loss: the clipped policy term and kl_coefficient times k3 against the reference; token mean of each response, then mean.
Settings: learning_rate, prompts_per_rollout, group_size, rollout_iterations, epochs_per_rollout, clip_epsilon,
kl_coefficient, temperature, truncation_penalty, ${ownSettings[stage] ?? ''}warmup_ratio, minimum_lr_ratio,
weight_decay, gradient_clip, audit_every, seed, max_prompt_tokens, max_new_tokens, max_context_tokens; those of sft and ppo are
accepted and unused.
${trainDetails}`,
    example: `train ${stage} --model resources/models/embedded --data resources/examples/prompts.jsonl --init-adapter /tmp/sft-adapter --reward-adapter /tmp/reward-adapter --preset embedded --config resources/examples/short-group.yaml --out /tmp/${stage}-adapter`,
    run: async (context, options) => {
      const { groupSettings } = await import('../stage-settings.ts')
      const { preset, config: file, seed, rewardAdapter } = options
      const { environmentOf } = await import('../desk-rules.ts')
      const environment = environmentOf(options)
      return train(context, options, {
        stage,
        ...(rewardAdapter === undefined ? {} : { rewardAdapter }),
        ...(environment === undefined ? {} : { environment }),
        config: groupSettings(stage, { preset, file, seed, note: context.note }),
        ...(file === undefined ? {} : { configSource: file }),
      })
    },
  })

export const trainGroup = outcomeStages.map(trainBy)
