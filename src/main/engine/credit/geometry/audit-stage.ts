/** The audit as a stage of the stage process: trajectories of the run folder in, one JSON document out, whole or not at all. */
import path from 'node:path'
import type { CreditAudit, RefusedAudit } from '../../../../shared/credit-audit.ts'
import { type CreditAuditJob, runFiles, type StageSummary } from '../../../../shared/stage.ts'
import { readTrajectories } from '../../../rows/read-trajectories.ts'
import { writeDocument } from '../../../rows/write-rows.ts'
import { learnedSha256 } from '../../checkpoint/learned-state.ts'
import { roleFromPeft } from '../../learn/role.ts'
import { beginStage, turnEndId } from '../../learn/stage-context.ts'
import { PhaseClock, type StageRun } from '../../learn/stage-run.ts'
import { peakRssBytes } from '../../runtime/memory.ts'
import { auditRows } from './audit-rows.ts'

/** Ends an audit between two passes; no fault. */
class StopAsked extends Error {}

/** A stop ends it as interrupted, with nothing written: it begins anew when resumed. Throws as `auditRows`. */
export async function runCreditAudit(
  job: CreditAuditJob,
  run: StageRun,
): Promise<StageSummary & { status: 'finished' | 'interrupted' }> {
  const context = await beginStage(job, run)
  const placed = await readTrajectories(job.trajectories)
  const role = job.adapter === undefined ? null : roleFromPeft(job.adapter, context.base)
  const hashes = () => (role === null ? {} : { policy: learnedSha256(role.state) })
  const before = hashes()
  const clock = new PhaseClock()
  const policy = { model: context.model, tokenizer: context.tokenizer, eosId: turnEndId(context), role }
  let audit: CreditAudit | RefusedAudit | null = null
  try {
    audit = await clock.time('audit', () =>
      auditRows(policy, placed, job.trajectories, job.settings, async (done, total) => {
        run.progress('audit', done, total)
        if (await run.boundary()) throw new StopAsked()
      }),
    )
    writeDocument(path.join(job.runDir, runFiles.audit), audit)
  } catch (error) {
    if (!(error instanceof StopAsked)) throw error
  }
  const after = hashes()
  if (before.policy !== after.policy) throw new Error('the policy changed while it was only audited')
  return {
    stage: 'credit-audit',
    status: audit === null ? 'interrupted' : 'finished',
    updates: 0,
    total: 0,
    learnedSha256: after,
    initialSha256: before,
    baseSha256: context.base.sha256(),
    trainableParameters: audit?.parameters ?? 0,
    seconds: clock.seconds,
    peakRssBytes: peakRssBytes(),
  }
}
