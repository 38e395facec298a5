/** Direction-aware token weights as a stage of the stage process: trajectories in, one JSON document out, whole or not at all. */
import path from 'node:path'
import type { DatcReading } from '../../../../shared/credit.ts'
import { type CreditDatcJob, runFiles, type StageSummary } from '../../../../shared/stage.ts'
import { readTrajectories } from '../../../rows/read-trajectories.ts'
import { writeDocument } from '../../../rows/write-rows.ts'
import { readingStage } from '../../learn/reading-stage.ts'
import { roleFromPeft } from '../../learn/role.ts'
import { beginStage } from '../../learn/stage-context.ts'
import type { StageRun } from '../../learn/stage-run.ts'
import { creditOfRollouts } from './credit-of-rollouts.ts'

/** A stop ends it as interrupted, with nothing written: it begins anew when resumed. Throws as `creditOfRollouts`. */
export async function runCreditDatc(
  job: CreditDatcJob,
  run: StageRun,
): Promise<StageSummary & { status: 'finished' | 'interrupted' }> {
  const context = await beginStage(job, run)
  const trajectories = (await readTrajectories(job.trajectories)).map(({ row }) => row)
  const policy = job.adapter === undefined ? null : roleFromPeft(job.adapter, context.base)
  const judge = roleFromPeft(job.rewardAdapter, context.base, 'score')
  const { max_weight: maxWeight, ablation, seed } = job.settings
  return readingStage(
    {
      stage: 'credit-datc',
      phase: 'token weights',
      context,
      roles: { policy, reward: judge },
      read: async (report): Promise<DatcReading> => {
        const rows = await creditOfRollouts(
          { context, role: policy },
          { context, role: judge },
          trajectories,
          job.trajectories,
          { maxWeight, ablation, seed },
          report,
        )
        return { max_weight: maxWeight, ablation, rows, left_out: trajectories.length - rows.length }
      },
      write: (reading) => writeDocument(path.join(job.runDir, runFiles.datc), reading),
    },
    run,
  )
}
