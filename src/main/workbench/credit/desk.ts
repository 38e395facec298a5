/**
 * The desk's files, for the command line and the window: tasks, demonstrations, preference pairs, and rollouts of a policy
 * from their requests or from prefixes of earlier ones. Each is written whole or not at all.
 */
import { BadInput } from '../../../shared/bad-input.ts'
import type { DeskRules } from '../../../shared/desk-rules.ts'
import { writeFileAtomically } from '../../engine/checkpoint/atomic-write.ts'
import { branchStarts } from '../../engine/desk/branch.ts'
import { demonstrations } from '../../engine/desk/demonstrations.ts'
import { readDeskTasks, readDeskTrajectories } from '../../engine/desk/desk-rows.ts'
import type { DeskTrajectory } from '../../engine/desk/episode.ts'
import { deskPairs } from '../../engine/desk/preferences.ts'
import {
  type DeskSampling,
  type EpisodeStart,
  playEpisodes,
  startOf,
  transcriptScores,
} from '../../engine/desk/rollouts.ts'
import { type DeskSummary, summarize } from '../../engine/desk/summary.ts'
import { type DeskSplit, type DeskTask, deskTasks } from '../../engine/desk/tasks.ts'
import type { Role } from '../../engine/learn/role.ts'
import type { StageContext } from '../../engine/learn/stage-context.ts'
import { TorchRandom } from '../../engine/random/torch-random.ts'

/** Tasks of a file, or of a split as the seed deals it. */
export type TaskChoice = { readonly tasks: string } | { readonly split: DeskSplit | 'all'; readonly seed: number }

export async function chosenTasks(choice: TaskChoice): Promise<readonly DeskTask[]> {
  if ('tasks' in choice) return readDeskTasks(choice.tasks)
  return deskTasks(choice.seed).filter(({ split }) => choice.split === 'all' || split === choice.split)
}

export interface Written {
  readonly file: string
  readonly rows: number
  readonly families: number
}

function writeRows(file: string, rows: readonly object[], tasks: readonly DeskTask[]): Written {
  writeFileAtomically(
    file,
    rows.map((row) => Buffer.from(`${JSON.stringify(row)}\n`)),
  )
  return { file, rows: rows.length, families: new Set(tasks.map(({ family }) => family)).size }
}

export async function writeTasks(file: string, choice: TaskChoice): Promise<Written> {
  const tasks = await chosenTasks(choice)
  return writeRows(file, tasks, tasks)
}

export async function writeDemonstrations(
  file: string,
  choice: TaskChoice,
  options: { readonly perTask: number; readonly seed: number; readonly rules: DeskRules },
): Promise<Written & { readonly by_style: Readonly<Record<string, number>>; readonly summary: DeskSummary }> {
  const tasks = await chosenTasks(choice)
  const rows = demonstrations(tasks, options)
  const by_style: Record<string, number> = {}
  for (const { style } of rows) by_style[style] = (by_style[style] ?? 0) + 1
  return { ...writeRows(file, rows, tasks), by_style, summary: summarize(rows) }
}

export async function writePreferences(
  file: string,
  choice: TaskChoice,
  options: { readonly perTask: number; readonly seed: number },
): Promise<Written> {
  const tasks = await chosenTasks(choice)
  return writeRows(file, deskPairs(tasks, options.perTask, options.seed), tasks)
}

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

export function writeTrajectories(file: string, rows: readonly DeskTrajectory[]): void {
  writeFileAtomically(
    file,
    rows.map((row) => Buffer.from(`${JSON.stringify(row)}\n`)),
  )
}
