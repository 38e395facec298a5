/** Puts journal lines into the tables of a run, and takes them out again. The journal is the truth, the rows follow. */
import type { RunId } from '../../shared/ids.ts'
import type { JournalLine } from '../../shared/stage.ts'
import { insertCreditAudit } from './credit-audits.ts'
import { insertGroupRollout } from './group-rollouts.ts'
import type { Db } from './open-store.ts'
import { insertObservation, insertRollout } from './rollouts.ts'
import { insertGroupUpdate, insertPpoUpdate, insertUpdate, insertValidation } from './updates.ts'

/** Call inside a transaction. Throws naming the number when one is not finite. */
export function insertJournalLine(db: Db, runId: RunId, line: JournalLine): void {
  switch (line.kind) {
    case 'update':
      insertUpdate(db, runId, line)
      return
    case 'validation':
      insertValidation(db, runId, line)
      return
    case 'iteration': {
      const { iteration, policy_sha256: policySha256 } = line
      line.rollouts.forEach((rollout, position) => {
        insertRollout(db, runId, { iteration, position, policySha256 }, rollout)
      })
      for (const update of line.updates) {
        insertPpoUpdate(db, runId, iteration, update)
        for (const observation of update.observations) insertObservation(db, runId, update.update, observation)
      }
      return
    }
    case 'group-iteration': {
      const { iteration, policy_sha256: policySha256 } = line
      line.rollouts.forEach((rollout, position) => {
        insertGroupRollout(db, runId, { iteration, position, policySha256 }, rollout)
      })
      for (const update of line.updates) insertGroupUpdate(db, runId, iteration, update)
      return
    }
    case 'credit-audit':
      insertCreditAudit(db, runId, line)
  }
}

/** Call inside a transaction. */
export function deleteJournalRows(db: Db, runId: RunId): void {
  for (const table of ['observations', 'rollouts', 'group_rollouts', 'updates', 'validations', 'credit_audits']) {
    db.prepare(`DELETE FROM ${table} WHERE run_id = ?`).run(runId)
  }
}
