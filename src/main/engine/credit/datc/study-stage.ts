/** A single-step study as a stage of the stage process: prompts in, one JSON document out, whole or not at all. Learns nothing. */
import path from 'node:path'
import { type CreditDatcStudyJob, runFiles, type StageSummary } from '../../../../shared/stage.ts'
import { readRows } from '../../../rows/read-rows.ts'
import { promptRowSchema } from '../../../rows/row-schemas.ts'
import { writeDocument } from '../../../rows/write-rows.ts'
import { readingStage } from '../../learn/reading-stage.ts'
import { beginStage } from '../../learn/stage-context.ts'
import type { StageRun } from '../../learn/stage-run.ts'
import { openStudy } from './open-study.ts'
import { singleStepStudy } from './single-step-study.ts'

/** A stop ends it as interrupted, with nothing written. Throws as `openStudy`. */
export async function runCreditDatcStudy(
  job: CreditDatcStudyJob,
  run: StageRun,
): Promise<StageSummary & { status: 'finished' | 'interrupted' }> {
  const context = await beginStage(job, run)
  const rows = await readRows(job.prompts, promptRowSchema)
  const parts = openStudy(context, { ...job, rows, file: job.prompts })
  return readingStage(
    {
      stage: 'credit-datc-study',
      phase: 'batches',
      context,
      roles: { policy: parts.policy, reward: parts.reward },
      read: (report) => {
        run.progress('batches', 0, job.batches)
        return singleStepStudy(parts, (done) => report('batches', done, job.batches))
      },
      write: (study) => writeDocument(path.join(job.runDir, runFiles.datcStudy), study),
    },
    run,
  )
}
