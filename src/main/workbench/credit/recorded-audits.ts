/** What a learning run recorded of the gradients of every k-th update. */
import { BadInput } from '../../../shared/bad-input.ts'
import type { CreditAuditLine } from '../../../shared/credit-audit.ts'
import { creditAuditsOf } from '../../store/credit-audits.ts'
import { findRun } from '../../store/runs.ts'
import type { Workbench } from '../workbench.ts'

/** In the order of the updates; none where the run was told to record none. Throws `BadInput` when there is no such run. */
export function recordedAudits({ home, store: { db } }: Workbench, id: string): CreditAuditLine[] {
  const run = findRun(db, id)
  if (run === null) throw new BadInput(id, `is no run in ${home}`)
  return creditAuditsOf(db, run.runId)
}
