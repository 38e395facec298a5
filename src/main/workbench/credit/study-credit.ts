/** What was recorded and computed of a study's gradients, for its document. Needs no model and starts no job. */
import { BadInput } from '../../../shared/bad-input.ts'
import type { CreditResult } from '../../../shared/credit.ts'
import type { CreditAudit, CreditAuditLine, RefusedAudit } from '../../../shared/credit-audit.ts'
import type { StudyAudit, StudyCredit, StudyReading } from '../../../shared/study-credit.ts'
import { foldedParts } from '../../report/credit-shares.ts'
import { creditAuditsOf } from '../../store/credit-audits.ts'
import type { RunRow } from '../../store/runs.ts'
import type { Workbench } from '../workbench.ts'
import { comparedMethods } from './ask-rollouts.ts'
import { creditResult, creditResults } from './credit-results.ts'
import { methodFacts } from './method-facts.ts'
import { studyDatc } from './study-datc.ts'
import { trajectoriesOfRun } from './trajectories-of-run.ts'

/** @returns undefined where nothing was recorded and nothing asked */
export function studyCredit(bench: Workbench, ppo: RunRow): StudyCredit | undefined {
  const lines = creditAuditsOf(bench.store.db, ppo.runId)
  const audits = auditsOf(bench, ppo.runId)
  const datc = studyDatc(bench, ppo)
  const weighed = datc.readings.length > 0 || datc.steps.length > 0
  if (lines.length === 0 && audits.length === 0 && !weighed) return undefined
  return {
    readings: lines.map(byRollout),
    audits,
    ...(weighed ? { datc } : {}),
    methods: methodsAt(bench, ppo, lines.at(-1)?.iteration),
  }
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
    .flatMap(({ run_id, created_at, source, policy }) => {
      const result = resultOf(bench, run_id)
      if (result === null || result.audit === null) return []
      const iterations = source.kind === 'run' ? (source.iterations ?? null) : null
      return [{ run_id, created_at, iterations, policy, sampled: result.sampled, audit: folded(result.audit) }]
    })
}

/** Null where its file is gone: the study can be told without it. */
function resultOf(bench: Workbench, runId: string): CreditResult | null {
  try {
    return creditResult(bench, runId)
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
  const sizes = new Map<string, number>()
  for (const { group } of rows) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  const asked = { iteration, rollouts: rows.length, largest_group: Math.max(0, ...sizes.values()), refused }
  if (comparison === null) return { ...asked, comparison }
  const { advantages: _, ...rest } = comparison
  return { ...asked, comparison: rest }
}
