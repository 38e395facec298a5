/** Table `credit_audits`: what a learning run recorded of the gradients of every k-th update, as the journal has it. */
import type { CreditAuditLine } from '../../shared/credit-audit.ts'
import type { RunId } from '../../shared/ids.ts'
import { decodeJson, encodeJson } from './json.ts'
import type { Db } from './open-store.ts'

/** Throws naming the number when one is not finite. */
export function insertCreditAudit(db: Db, runId: RunId, line: CreditAuditLine): void {
  db.prepare('INSERT INTO credit_audits (run_id, update_number, iteration, content) VALUES (?, ?, ?, ?)').run(
    runId,
    line.update,
    line.iteration,
    encodeJson(line),
  )
}

/** In the order of the updates. */
export function creditAuditsOf(db: Db, runId: RunId): CreditAuditLine[] {
  const found = db.prepare('SELECT content FROM credit_audits WHERE run_id = ? ORDER BY update_number').all(runId) as {
    readonly content: string
  }[]
  return found.map(({ content }) => decodeJson<CreditAuditLine>(content))
}

/** Of the updates of one iteration, in their order. */
export function creditAuditsOfIteration(db: Db, runId: RunId, iteration: number): CreditAuditLine[] {
  const found = db
    .prepare('SELECT content FROM credit_audits WHERE run_id = ? AND iteration = ? ORDER BY update_number')
    .all(runId, iteration) as { readonly content: string }[]
  return found.map(({ content }) => decodeJson<CreditAuditLine>(content))
}

/** Iterations of which some update was audited, ascending. */
export function auditedIterationsOf(db: Db, runId: RunId): number[] {
  const found = db
    .prepare('SELECT DISTINCT iteration FROM credit_audits WHERE run_id = ? ORDER BY iteration')
    .all(runId) as { readonly iteration: number }[]
  return found.map(({ iteration }) => iteration)
}
