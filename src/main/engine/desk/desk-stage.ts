/** Playing at the desk as a stage of the stage process: task rows or rollouts to branch in, trajectories out, whole or not at all. */
import path from 'node:path'
import { type DeskJob, runFiles, type StageSummary } from '../../../shared/stage.ts'
import { writeRows } from '../../rows/write-rows.ts'
import { readingStage } from '../learn/reading-stage.ts'
import { roleFromPeft } from '../learn/role.ts'
import { beginStage } from '../learn/stage-context.ts'
import type { StageRun } from '../learn/stage-run.ts'
import { readDeskTasks } from './desk-rows.ts'
import type { DeskTrajectory } from './episode.ts'
import { type DeskPlay, deskBranches, deskRollouts } from './play.ts'

/** A stop ends it as interrupted, with nothing written: it begins anew when resumed. Throws `BadInput` for rows of another kind. */
export async function runDesk(
  job: DeskJob,
  run: StageRun,
): Promise<StageSummary & { status: 'finished' | 'interrupted' }> {
  const context = await beginStage(job, run)
  const policy = job.adapter === undefined ? null : roleFromPeft(job.adapter, context.base)
  const rewardModel = job.rewardAdapter === undefined ? null : roleFromPeft(job.rewardAdapter, context.base, 'score')
  const { rules, greedy, seed } = job.settings
  return readingStage(
    {
      stage: 'desk',
      phase: 'episodes',
      context,
      roles: { policy, reward: rewardModel },
      read: (report) =>
        played(job, {
          context,
          policy,
          rewardModel,
          rules,
          greedy,
          seed,
          onRows: (done) => report('episodes', done, job.episodes),
        }),
      write: (rows) => writeRows(path.join(job.runDir, runFiles.rollouts), rows),
    },
    run,
  )
}

async function played({ rows, settings }: DeskJob, play: DeskPlay): Promise<readonly DeskTrajectory[]> {
  if (settings.mode === 'branch') {
    const { branches, at } = settings
    return (await deskBranches(play, rows, { branches, at })).trajectories
  }
  return (await deskRollouts(play, await readDeskTasks(rows), settings.group_size)).trajectories
}
