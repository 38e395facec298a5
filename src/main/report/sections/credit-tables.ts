/** The numbers of the credit section as tables, and its refusals as sentences. */
import { objectiveWords } from '../../../shared/audit-defaults.ts'
import type { RefusedMethod } from '../../../shared/credit.ts'
import type { AuditPart, StepConservation } from '../../../shared/credit-audit.ts'
import type { StudyAudit, StudyCredit, StudyReading } from '../../../shared/study-credit.ts'
import { estimatorName } from '../estimator-name.ts'
import { decimal, significant } from '../number-text.ts'
import { type Cell, counted, measured, precise, type ReportTable, shared, written } from '../section.ts'

type Comparison = NonNullable<NonNullable<StudyCredit['methods']>['comparison']>

export function readingsTable(readings: readonly StudyReading[]): ReportTable {
  return {
    id: 'table-credit-readings',
    caption: 'Updates audited while learning, by rollout',
    columns: [
      { label: 'Update', numeric: true },
      { label: 'Iteration', numeric: true },
      { label: 'Positions', numeric: true },
      { label: 'Gradient norm', numeric: true },
      { label: 'Σ shares', numeric: true },
      { label: 'Conservation error', numeric: true },
      { label: 'By token', numeric: true },
      { label: 'Cancellation', numeric: true },
      { label: 'Largest share', numeric: true },
      { label: 'Smallest share', numeric: true },
    ],
    rows: readings.map(({ update, iteration, reading }) => {
      const shares = reading?.rollouts.map(({ projected_share }) => projected_share) ?? []
      return {
        cells: [
          counted(update),
          counted(iteration),
          counted(reading?.trained_positions),
          precise(reading === null ? 0 : reading.full_norm),
          measured(reading?.projected_share_sum),
          precise(reading?.conservation_error),
          precise(reading?.token_conservation_error),
          measured(reading?.cancellation, 2),
          measured(shares.length === 0 ? null : Math.max(...shares)),
          measured(shares.length === 0 ? null : Math.min(...shares)),
        ],
      }
    }),
  }
}

export function sharesTable(id: string, caption: string, parts: readonly AuditPart[]): ReportTable {
  return {
    id,
    caption,
    columns: [
      { label: 'Part' },
      { label: 'Positions', numeric: true },
      { label: 'Projected share', numeric: true },
      { label: 'Norm share', numeric: true },
    ],
    rows: parts.map(({ name, positions, projected_share, norm_share }) => ({
      cells: [name, counted(positions), measured(projected_share), measured(norm_share)],
    })),
  }
}

export function auditsTable(audits: readonly StudyAudit[]): ReportTable {
  return {
    id: 'table-credit-audits',
    caption: 'Audits of the PPO run’s rollouts, each of the objective and at the policy that its row names',
    columns: [
      { label: 'Iterations' },
      { label: 'Partition' },
      { label: 'Policy' },
      { label: 'Objective' },
      { label: 'Advantages' },
      { label: 'Precision' },
      { label: 'Rollouts', numeric: true },
      { label: 'Σ shares', numeric: true },
      { label: 'Conservation error', numeric: true },
      { label: 'Cancellation', numeric: true },
      { label: 'Step' },
    ],
    rows: audits.map(({ iterations, policy, sampled, audit }) => {
      const found = 'verdict' in audit ? null : audit
      return {
        cells: [
          iterations === null ? 'all' : rangeText(iterations),
          audit.partition,
          `${policy}${sampled === false ? '; other parameters sampled these' : ''}`,
          `${objectiveWords[audit.reduction]} (${audit.reduction})`,
          audit.advantages,
          audit.dtype,
          counted(audit.rollouts),
          found === null ? written(null, 'refused') : measured(found.projected_share_sum),
          precise(found?.conservation_error),
          measured(found?.cancellation, 2),
          stepText(found?.step_conservation),
        ],
      }
    }),
  }
}

const rangeText = ([first, last]: readonly [number, number]) => (first === last ? `${first}` : `${first}–${last}`)

function stepText(step: StepConservation | undefined): string {
  if (step === undefined) return 'not asked'
  if ('refused' in step) return `${step.optimizer}: refused`
  return `${step.optimizer}: ${significant(step.relative_error)}${step.update_precision_limited ? ', at the precision of the parameters' : ''}`
}

/** Refusals are results: each with its numbers and what would help. */
export function refusalsOf({ readings, audits }: StudyCredit): string[] {
  const zero = readings.filter(({ reading }) => reading === null).map(({ update }) => update)
  return [
    ...(zero.length === 0
      ? []
      : [
          `${zero.length === 1 ? 'Update' : 'Updates'} ${zero.join(', ')}: the gradient was exactly zero, so nothing has a share of it.`,
        ]),
    ...audits.flatMap(({ iterations, audit }) => {
      const where = `Audit by ${audit.partition} of ${iterations === null ? 'all iterations' : `iteration ${rangeText(iterations)}`}`
      if ('verdict' in audit) {
        const numbers = Object.entries(audit.numbers).map(([name, value]) => `${name} ${decimal(value)}`)
        return [`${where}: ${audit.reason} (${numbers.join(', ')}). ${audit.remedy}`]
      }
      const step = audit.step_conservation
      return step !== undefined && 'refused' in step ? [`${where}, step conservation: ${step.refused}`] : []
    }),
  ]
}

/** The trainer's own estimator of a PPO run: what the others are compared with. */
const own = 'gae'

export function methodsTable({ methods, pairs }: Comparison): ReportTable {
  const compares = methods.some(({ label }) => label === own)
  const pairWith = (label: string) => pairs.find(({ a, b }) => (a === own && b === label) || (b === own && a === label))
  const against = (label: string): Cell[] => {
    const pair = pairWith(label)
    if (pair === undefined) return [measured(1), shared(1), counted(0)]
    return [measured(pair.rank_correlation), shared(pair.sign_agreement), counted(pair.opposite_signs)]
  }
  return {
    id: 'table-credit-methods',
    caption: 'Advantages by estimator',
    columns: [
      { label: 'Estimator' },
      { label: 'mean a token', numeric: true },
      { label: 'std a token', numeric: true },
      { label: 'std a rollout', numeric: true },
      ...(compares
        ? [
            { label: `rank correlation with ${own}`, numeric: true },
            { label: `same sign as ${own}`, numeric: true },
            { label: 'opposite signs', numeric: true },
          ]
        : []),
    ],
    rows: methods.map(({ label, parameters, summary }) => ({
      cells: [
        estimatorName({ label, parameters }),
        precise(summary.token.mean),
        precise(summary.token.std),
        precise(summary.episode.std),
        ...(compares ? against(label) : []),
      ],
    })),
  }
}

export function unfedTable(refused: readonly RefusedMethod[]): ReportTable {
  return {
    id: 'table-credit-methods-refused',
    caption: 'Estimators that these rollouts cannot feed',
    columns: [{ label: 'Estimator' }, { label: 'Why not' }, { label: 'What would provide it' }],
    rows: refused.map(({ label, problem, remedy }) => ({ cells: [label, problem, remedy ?? '—'] })),
  }
}
