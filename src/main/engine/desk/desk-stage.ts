/** Playing at the desk as a stage of the stage process: task rows or rollouts to branch in, trajectories out, whole or not at all. */
import path from 'node:path'
import { type DeskJob, runFiles, type StageSummary } from '../../../shared/stage.ts'
import { writeRows } from '../../rows/write-rows.ts'
import { learnedSha256 } from '../checkpoint/learned-state.ts'
import { roleFromPeft } from '../learn/role.ts'
import { beginStage } from '../learn/stage-context.ts'
import { PhaseClock, type StageRun } from '../learn/stage-run.ts'
import { peakRssBytes } from '../runtime/memory.ts'
import { readDeskTasks } from './desk-rows.ts'
import type { DeskTrajectory } from './episode.ts'
import { type DeskPlay, deskBranches, deskRollouts } from './play.ts'

/** Ends the episodes between two batches; no fault. */
class StopAsked extends Error {}

/** A stop ends it as interrupted, with nothing written: it begins anew when resumed. Throws `BadInput` for rows of another kind. */
export async function runDesk(
  job: DeskJob,
  run: StageRun,
): Promise<StageSummary & { status: 'finished' | 'interrupted' }> {
  const context = await beginStage(job, run)
  const policy = job.adapter === undefined ? null : roleFromPeft(job.adapter, context.base)
  const rewardModel = job.rewardAdapter === undefined ? null : roleFromPeft(job.rewardAdapter, context.base, 'score')
  const hashes = () => ({
    ...(policy === null ? {} : { policy: learnedSha256(policy.state) }),
    ...(rewardModel === null ? {} : { reward: learnedSha256(rewardModel.state) }),
  })
  const before = hashes()
  const { rules, greedy, seed } = job.settings
  const clock = new PhaseClock()
  let rows: readonly DeskTrajectory[] | null = null
  try {
    rows = await clock.time('episodes', () => {
      const play: DeskPlay = {
        context,
        policy,
        rewardModel,
        rules,
        greedy,
        seed,
        onRows: async (done: number) => {
          run.progress('episodes', done, job.episodes)
          if (await run.boundary()) throw new StopAsked()
        },
      }
      return played(job, play)
    })
    writeRows(path.join(job.runDir, runFiles.rollouts), rows)
  } catch (error) {
    if (!(error instanceof StopAsked)) throw error
  }
  return {
    stage: 'desk',
    status: rows === null ? 'interrupted' : 'finished',
    updates: 0,
    total: 0,
    learnedSha256: hashes(),
    initialSha256: before,
    baseSha256: context.base.sha256(),
    trainableParameters: 0,
    seconds: clock.seconds,
    peakRssBytes: peakRssBytes(),
  }
}

async function played({ rows, settings }: DeskJob, play: DeskPlay): Promise<readonly DeskTrajectory[]> {
  if (settings.mode === 'branch') {
    const { branches, at } = settings
    return (await deskBranches(play, rows, { branches, at })).trajectories
  }
  return (await deskRollouts(play, await readDeskTasks(rows), settings.group_size)).trajectories
}
