/** `recompense desk rollouts`: episodes of a policy at the multi-turn desk. */
import { resolve } from 'node:path'
import { Option } from 'commander'
import type { DeskRules } from '../../../shared/desk-rules.ts'
import type { DeskPlay } from '../../workbench/credit/desk.ts'
import { define } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { type RuleOptions, ruleFlags, summaryText, type TaskOptions, taskChoice, taskFlags } from '../desk-flags.ts'
import { adapterFlag, type ComputeOptions, computeFlags, modelFlag, positiveInteger, seedFlag } from '../flags.ts'
import { nameDevice, openModel } from '../inference.ts'
import { requireWritableFile, writingTo } from '../user-path.ts'

export interface PlayOptions extends RuleOptions, ComputeOptions {
  readonly model: string
  readonly adapter?: string
  readonly rewardAdapter?: string
  readonly greedy?: boolean
  readonly seed: number
  readonly out: string
}

/** Flags of the commands that play a policy. */
export function playFlags(): Option[] {
  return [
    modelFlag(),
    adapterFlag(),
    new Option('--reward-adapter <dir>', 'reward model, where reward_model_weight of the rules is not 0'),
    new Option('--greedy', 'take the likeliest token at every step (default: sample at temperature 1)'),
    seedFlag(49, 'sampling and failures'),
    ...ruleFlags(),
    new Option('--out <file>', 'trajectory file to write (JSONL)').makeOptionMandatory(),
    ...computeFlags(),
  ]
}

interface Options extends TaskOptions, PlayOptions {
  readonly groupSize: number
}

export const deskRollouts = define<Options>({
  name: 'rollouts',
  summary: 'play a policy at the multi-turn desk',
  options: [
    new Option('--group-size <n>', 'episodes of each task, one group').argParser(positiveInteger).default(8),
    ...taskFlags('validation'),
    ...playFlags(),
  ],
  details: `Trajectories as the credit commands take them: every turn in the ids that the policy read or sampled, log-probabilities
at temperature 1, state_key of each agent turn (task and findings so far, order-free), the turn's own reward. reward is null
where the environment failed; end says answered, horizon, token_limit or environment_failure.
Result: out, summary{rollouts, groups, families, graded, ends, successes, success_rate, success_interval, mean_reward,
reward_parts, mean_turns, mean_checks, invalid_share, locked_share, repeated_share, mean_action_tokens}.`,
  example: 'desk rollouts --model resources/models/embedded --group-size 2 --out /tmp/desk-rollouts.jsonl',
  run: async (context, options) => {
    const { rulesOf } = await import('../desk-rules.ts')
    const rules = rulesOf(options)
    const { chosenTasks, deskRollouts: roll, writeTrajectories } = await import('../../workbench/credit/desk.ts')
    const tasks = await chosenTasks(taskChoice(options))
    const out = resolve(options.out)
    requireWritableFile(options.out)
    const play = await openPlay(context, options, rules, tasks.length * options.groupSize)
    const { trajectories, summary } = await roll(play, tasks, options.groupSize)
    await writingTo(out, () => writeTrajectories(out, trajectories))
    return { json: { out, summary }, text: () => `${summaryText(summary)}\n${context.style.quiet(out)}` }
  },
})

/** Opens model and adapters of a command that plays. `total` rows are shown as progress where it is known. */
export async function openPlay(
  context: CommandContext,
  options: PlayOptions,
  rules: DeskRules,
  total?: number,
): Promise<DeskPlay> {
  const stage = await openModel(context, options)
  const { roleFromPeft } = await import('../../engine/learn/role.ts')
  const policy = options.adapter === undefined ? null : roleFromPeft(options.adapter, stage.base)
  const rewardModel =
    options.rewardAdapter === undefined ? null : roleFromPeft(options.rewardAdapter, stage.base, 'score')
  nameDevice(context, stage)
  return {
    context: stage,
    policy,
    rewardModel,
    rules,
    greedy: options.greedy === true,
    seed: options.seed,
    ...(total !== undefined && {
      onRows: (done: number) => context.progress.report({ phase: 'episodes', done, total }),
    }),
  }
}
