/** A single-step study as a stage of the stage process: prompts in, one JSON document out, whole or not at all. Learns nothing. */
import path from 'node:path'
import type { SingleStepStudy } from '../../../../shared/datc-study.ts'
import { type CreditDatcStudyJob, runFiles, type StageSummary } from '../../../../shared/stage.ts'
import { readRows } from '../../../rows/read-rows.ts'
import { promptRowSchema } from '../../../rows/row-schemas.ts'
import { writeDocument } from '../../../rows/write-rows.ts'
import { learnedSha256 } from '../../checkpoint/learned-state.ts'
import { beginStage } from '../../learn/stage-context.ts'
import { PhaseClock, type StageRun } from '../../learn/stage-run.ts'
import { peakRssBytes } from '../../runtime/memory.ts'
import { openStudy } from './open-study.ts'
import { singleStepStudy } from './single-step-study.ts'

/** Ends a study between two batches; no fault. */
class StopAsked extends Error {}

/** A stop ends it as interrupted, with nothing written. Throws as `openStudy`. */
export async function runCreditDatcStudy(
  job: CreditDatcStudyJob,
  run: StageRun,
): Promise<StageSummary & { status: 'finished' | 'interrupted' }> {
  const context = await beginStage(job, run)
  const rows = await readRows(job.prompts, promptRowSchema)
  const parts = openStudy(context, { ...job, rows, file: job.prompts })
  const hashes = () => ({ policy: learnedSha256(parts.policy.state), reward: learnedSha256(parts.reward.state) })
  const before = hashes()
  const clock = new PhaseClock()
  let study: SingleStepStudy | null = null
  try {
    run.progress('batches', 0, job.batches)
    study = await clock.time('batches', () =>
      singleStepStudy(parts, async (done) => {
        run.progress('batches', done, job.batches)
        if (await run.boundary()) throw new StopAsked()
      }),
    )
    writeDocument(path.join(job.runDir, runFiles.datcStudy), study)
  } catch (error) {
    if (!(error instanceof StopAsked)) throw error
  }
  return {
    stage: 'credit-datc-study',
    status: study === null ? 'interrupted' : 'finished',
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
