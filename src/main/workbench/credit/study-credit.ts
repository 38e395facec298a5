/** What was recorded and computed of a study's gradients, for its document. Needs no model and starts no job. */
import { BadInput } from '../../../shared/bad-input.ts'
import type { CreditAudit, CreditAuditLine, RefusedAudit } from '../../../shared/credit-audit.ts'
import type { StudyAudit, StudyCredit, StudyReading } from '../../../shared/study-credit.ts'
import { foldedParts } from '../../report/credit-shares.ts'
import { creditAuditsOf } from '../../store/credit-audits.ts'
import type { RunRow } from '../../store/runs.ts'
import type { Workbench } from '../workbench.ts'
import { comparedMethods } from './ask-rollouts.ts'
import { creditResult, creditResults } from './credit-results.ts'
import { methodFacts } from './method-facts.ts'
import { trajectoriesOfRun } from './trajectories-of-run.ts'

/** @returns undefined where nothing was recorded and nothing asked */
export function studyCredit(bench: Workbench, ppo: RunRow): StudyCredit | undefined {
  const lines = creditAuditsOf(bench.store.db, ppo.runId)
  const audits = auditsOf(bench, ppo.runId)
  if (lines.length === 0 && audits.length === 0) return undefined
  return { readings: lines.map(byRollout), audits, methods: methodsAt(bench, ppo, lines.at(-1)?.iteration) }
}

function byRollout({ kind: _, reading, ...line }: CreditAuditLine): StudyReading {
  if (reading === null) return { ...line, reading }
  const rollouts = reading.rollouts.map(({ token_shares: _, ...share }) => share)
  return { ...line, reading: { ...reading, rollouts } }
}

function auditsOf(bench: Workbench, runId: string): StudyAudit[] {
  return creditResults(bench)
    .filter(
      ({ kind, status, source }) =>
        kind === 'credit-audit' && status === 'finished' && source.kind === 'run' && source.run_id === runId,
    )
    .toReversed()
    .flatMap(({ run_id, created_at, source }) => {
      const audit = auditOf(bench, run_id)
      if (audit === null) return []
      const iterations = source.kind === 'run' ? (source.iterations ?? null) : null
      return [{ run_id, created_at, iterations, audit: folded(audit) }]
    })
}

/** Null where its file is gone: the study can be told without it. */
function auditOf(bench: Workbench, runId: string): CreditAudit | RefusedAudit | null {
  try {
    return creditResult(bench, runId).audit
  } catch (error) {
    if (error instanceof BadInput) return null
    throw error
  }
}

const folded = (audit: CreditAudit | RefusedAudit): CreditAudit | RefusedAudit =>
  'verdict' in audit ? audit : { ...audit, parts: foldedParts(audit.parts) }

function methodsAt(bench: Workbench, ppo: RunRow, iteration: number | undefined): StudyCredit['methods'] {
  if (iteration === undefined) return null
  const rows = trajectoriesOfRun(bench, ppo.runId, [iteration, iteration])
  const labels = methodFacts().map(({ name }) => name)
  const { gamma = 1, gae_lambda: lambda = 1 } = ppo.config as { gamma?: number; gae_lambda?: number }
  const { comparison, refused } = comparedMethods(rows, labels, { gamma, lambda }, ppo.runId, 0)
  if (comparison === null) return { iteration, rollouts: rows.length, comparison, refused }
  const { advantages: _, ...rest } = comparison
  return { iteration, rollouts: rows.length, comparison: rest, refused }
}
