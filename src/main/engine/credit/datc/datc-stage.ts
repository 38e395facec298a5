/** Direction-aware token weights as a stage of the stage process: trajectories in, one JSON document out, whole or not at all. */
import path from 'node:path'
import type { DatcReading } from '../../../../shared/credit.ts'
import { type CreditDatcJob, runFiles, type StageSummary } from '../../../../shared/stage.ts'
import { readTrajectories } from '../../../rows/read-trajectories.ts'
import { writeDocument } from '../../../rows/write-rows.ts'
import { learnedSha256 } from '../../checkpoint/learned-state.ts'
import { roleFromPeft } from '../../learn/role.ts'
import { beginStage } from '../../learn/stage-context.ts'
import { PhaseClock, type StageRun } from '../../learn/stage-run.ts'
import { peakRssBytes } from '../../runtime/memory.ts'
import { creditOfRollouts } from './credit-of-rollouts.ts'

/** Ends a reading between two batches; no fault. */
class StopAsked extends Error {}

/** A stop ends it as interrupted, with nothing written: it begins anew when resumed. Throws as `creditOfRollouts`. */
export async function runCreditDatc(
  job: CreditDatcJob,
  run: StageRun,
): Promise<StageSummary & { status: 'finished' | 'interrupted' }> {
  const context = await beginStage(job, run)
  const trajectories = (await readTrajectories(job.trajectories)).map(({ row }) => row)
  const policy = job.adapter === undefined ? null : roleFromPeft(job.adapter, context.base)
  const judge = roleFromPeft(job.rewardAdapter, context.base, 'score')
  const hashes = () => ({
    ...(policy === null ? {} : { policy: learnedSha256(policy.state) }),
    reward: learnedSha256(judge.state),
  })
  const before = hashes()
  const { max_weight: maxWeight, ablation, seed } = job.settings
  const clock = new PhaseClock()
  let reading: DatcReading | null = null
  try {
    const rows = await clock.time('token weights', () =>
      creditOfRollouts(
        { context, role: policy },
        { context, role: judge },
        trajectories,
        job.trajectories,
        { maxWeight, ablation, seed },
        async (phase, done, total) => {
          run.progress(phase, done, total)
          if (await run.boundary()) throw new StopAsked()
        },
      ),
    )
    reading = { max_weight: maxWeight, ablation, rows, left_out: trajectories.length - rows.length }
    writeDocument(path.join(job.runDir, runFiles.datc), reading)
  } catch (error) {
    if (!(error instanceof StopAsked)) throw error
  }
  return {
    stage: 'credit-datc',
    status: reading === null ? 'interrupted' : 'finished',
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
