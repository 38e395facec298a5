/**
 * The desk's files, for the command line and the window: tasks, demonstrations, preference pairs, and rollouts of a policy
 * from their requests or from prefixes of earlier ones. Each is written whole or not at all.
 */
import type { DeskRules } from '../../../shared/desk-rules.ts'
import { demonstrations } from '../../engine/desk/demonstrations.ts'
import { readDeskTasks } from '../../engine/desk/desk-rows.ts'
import type { DeskTrajectory } from '../../engine/desk/episode.ts'
import { deskPairs } from '../../engine/desk/preferences.ts'
import { type DeskSummary, summarize } from '../../engine/desk/summary.ts'
import { type DeskSplit, type DeskTask, deskTasks } from '../../engine/desk/tasks.ts'
import { writeRows } from '../../rows/write-rows.ts'

export {
  type DeskBranches,
  type DeskPlay,
  type DeskRollouts,
  deskBranches,
  deskRollouts,
} from '../../engine/desk/play.ts'

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

function written(file: string, rows: readonly object[], tasks: readonly DeskTask[]): Written {
  writeRows(file, rows)
  return { file, rows: rows.length, families: new Set(tasks.map(({ family }) => family)).size }
}

export async function writeTasks(file: string, choice: TaskChoice): Promise<Written> {
  const tasks = await chosenTasks(choice)
  return written(file, tasks, tasks)
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
  return { ...written(file, rows, tasks), by_style, summary: summarize(rows) }
}

export async function writePreferences(
  file: string,
  choice: TaskChoice,
  options: { readonly perTask: number; readonly seed: number },
): Promise<Written> {
  const tasks = await chosenTasks(choice)
  return written(file, deskPairs(tasks, options.perTask, options.seed), tasks)
}

export function writeTrajectories(file: string, rows: readonly DeskTrajectory[]): void {
  writeRows(file, rows)
}
