/**
 * Playing at the desk: a policy's episodes of tasks, a group a task, and branches that go on from prefixes of earlier
 * episodes. Opens no model and writes no file.
 */
import { BadInput } from '../../../shared/bad-input.ts'
import type { DeskRules } from '../../../shared/desk-rules.ts'
import type { Role } from '../learn/role.ts'
import type { StageContext } from '../learn/stage-context.ts'
import { TorchRandom } from '../random/torch-random.ts'
import { branchStarts } from './branch.ts'
import { readDeskTrajectories } from './desk-rows.ts'
import type { DeskTrajectory } from './episode.ts'
import { type DeskSampling, type EpisodeStart, playEpisodes, startOf, transcriptScores } from './rollouts.ts'
import { type DeskSummary, summarize } from './summary.ts'
import type { DeskTask } from './tasks.ts'

/** Who plays, and how it is judged. */
export interface DeskPlay {
  readonly context: StageContext
  /** Null: the base model alone. */
  readonly policy: Role | null
  /** Read only where the rules give its score a weight. */
  readonly rewardModel: Role | null
  readonly rules: DeskRules
  readonly greedy: boolean
  readonly seed: number
  readonly onRows?: DeskSampling['onRows']
}

export interface DeskRollouts {
  readonly trajectories: readonly DeskTrajectory[]
  readonly summary: DeskSummary
}

/** `groupSize` episodes of each task, a group a task. */
export async function deskRollouts(
  play: DeskPlay,
  tasks: readonly DeskTask[],
  groupSize: number,
): Promise<DeskRollouts> {
  const starts = tasks.flatMap((task) =>
    Array.from({ length: groupSize }, (_, i) => startOf(task, `${task.id}/${i}`, task.id)),
  )
  const trajectories = await played(play, starts)
  return { trajectories, summary: summarize(trajectories) }
}

export interface DeskBranches {
  /** The rollouts that were read, then the branches, group by group as they come. */
  readonly trajectories: readonly DeskTrajectory[]
  readonly prefixes: number
  readonly branches: number
  /** Of the branches alone. */
  readonly summary: DeskSummary
}

/** Plays on from prefixes of the rollouts in `file`. @throws BadInput where they are not the desk's, or no prefix is there */
export async function deskBranches(
  play: DeskPlay,
  file: string,
  { branches, at }: { readonly branches: number; readonly at: number | 'every' },
): Promise<DeskBranches> {
  const originals = await readDeskTrajectories(file)
  const starts = branchStarts(originals, { branches, at, horizon: play.rules.horizon, file })
  if (starts.length === 0)
    throw new BadInput(file, `no rollout goes on after ${at === 'every' ? 'its first turn' : `turn ${at}`}`)
  const grown = (await played(play, starts)).map((trajectory, i) => ({ ...trajectory, branch: starts[i]!.branch }))
  return {
    trajectories: [...originals.map(({ trajectory }) => trajectory), ...grown],
    prefixes: starts.length / branches,
    branches: grown.length,
    summary: summarize(grown),
  }
}

function played(play: DeskPlay, starts: readonly EpisodeStart[]): Promise<DeskTrajectory[]> {
  const { context, policy, rewardModel, rules, greedy, seed, onRows } = play
  if (rules.reward_model_weight !== 0 && rewardModel === null)
    throw new BadInput('--reward-adapter', 'is needed: the rules give the score of a reward model a weight')
  const random = new TorchRandom(seed)
  const uniform = () => random.uniform01()
  return playEpisodes(
    {
      context,
      rules,
      policy,
      score: rewardModel === null ? null : transcriptScores(context, rewardModel),
      choice: greedy ? { kind: 'greedy' } : { kind: 'sample', temperature: 1, uniform },
      uniform,
      ...(onRows && { onRows }),
    },
    starts,
  )
}
