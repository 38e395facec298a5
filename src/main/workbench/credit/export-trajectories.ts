/** Writes recorded rollouts as a trajectory file, whole or not at all. */
import { writeRows } from '../../rows/write-rows.ts'
import type { Workbench } from '../workbench.ts'
import { trajectoriesOfRun } from './trajectories-of-run.ts'

/**
 * @param id a run, or a study whose PPO run is meant
 * @throws BadInput when there is no such run, it recorded nothing in the range, or the file cannot be written
 */
export function exportTrajectoriesOf(
  bench: Workbench,
  id: string,
  file: string,
  iterations?: readonly [number, number],
): { readonly file: string; readonly rows: number; readonly groups: number } {
  const rows = trajectoriesOfRun(bench, id, iterations)
  writeRows(file, rows)
  return { file, rows: rows.length, groups: new Set(rows.map(({ group }) => group)).size }
}
