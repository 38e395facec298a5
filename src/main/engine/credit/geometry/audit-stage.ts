/** The audit as a stage of the stage process: trajectories of the run folder in, one JSON document out, whole or not at all. */
import path from 'node:path'
import { type CreditAuditJob, runFiles, type StageSummary } from '../../../../shared/stage.ts'
import { readTrajectories } from '../../../rows/read-trajectories.ts'
import { writeDocument } from '../../../rows/write-rows.ts'
import { readingStage } from '../../learn/reading-stage.ts'
import { roleFromPeft } from '../../learn/role.ts'
import { beginStage, turnEndId } from '../../learn/stage-context.ts'
import type { StageRun } from '../../learn/stage-run.ts'
import { auditRows } from './audit-rows.ts'

/** A stop ends it as interrupted, with nothing written: it begins anew when resumed. Throws as `auditRows`. */
export async function runCreditAudit(
  job: CreditAuditJob,
  run: StageRun,
): Promise<StageSummary & { status: 'finished' | 'interrupted' }> {
  const context = await beginStage(job, run)
  const placed = await readTrajectories(job.trajectories)
  const role = job.adapter === undefined ? null : roleFromPeft(job.adapter, context.base)
  const policy = { model: context.model, tokenizer: context.tokenizer, eosId: turnEndId(context), role }
  return readingStage(
    {
      stage: 'credit-audit',
      phase: 'audit',
      context,
      roles: { policy: role },
      read: (report) =>
        auditRows(policy, placed, job.trajectories, job.settings, (done, total) => report('audit', done, total)),
      write: (audit) => writeDocument(path.join(job.runDir, runFiles.audit), audit),
      parametersOf: ({ parameters }) => parameters,
    },
    run,
  )
}
