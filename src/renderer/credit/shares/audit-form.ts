/** What an audit is asked for, as the form holds it. */
import { auditDefaults, runReduction } from '../../../shared/audit-defaults.ts'
import type { TrajectoryList } from '../../../shared/credit.ts'
import type { AuditDtype, Partition, Reduction } from '../../../shared/credit-audit.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'

export interface AuditForm {
  readonly partition: Partition
  readonly dtype: AuditDtype
  readonly reduction: Reduction
  /** `recorded`, or a method with its baseline: `monte-carlo:grpo`. */
  readonly advantages: string
  /** Empty: no step is taken. */
  readonly optimizer: string
  readonly learningRate: number
}

const hasAll = ({ fields, rows }: TrajectoryList, name: string) =>
  rows.length > 0 && fields.find((field) => field.name === name)?.rows === rows.length

/** As the command line asks; of a run's own rollouts with the run's own loss, and with its advantages where recorded. */
export function firstForm(list: TrajectoryList, of: CreditSource['kind'] = 'file'): AuditForm {
  const { partition, dtype, reduction, baseline, learningRate } = auditDefaults
  return {
    partition,
    dtype,
    reduction: of === 'run' ? runReduction : reduction,
    advantages: hasAll(list, 'advantages') ? 'recorded' : `monte-carlo:${baseline}`,
    optimizer: '',
    learningRate,
  }
}

export function advantageChoices(list: TrajectoryList): { value: string; label: string }[] {
  return [
    ...(hasAll(list, 'advantages') ? [{ value: 'recorded', label: 'those that the run learned from' }] : []),
    { value: 'monte-carlo:grpo', label: 'outcome, normalised in its group (GRPO)' },
    { value: 'monte-carlo:rloo', label: 'outcome less the mean of the others (RLOO)' },
    { value: 'monte-carlo:none', label: 'the outcome itself' },
    ...(hasAll(list, 'values') ? [{ value: 'gae', label: 'GAE, γ 1, λ 0.95' }] : []),
  ]
}

export function auditRequest({ partition, dtype, reduction, advantages, optimizer, learningRate }: AuditForm) {
  const [method = '', baseline] = advantages.split(':')
  return {
    kind: 'credit-audit' as const,
    partition,
    dtype,
    reduction,
    advantages:
      advantages === 'recorded'
        ? ('recorded' as const)
        : { method, settings: baseline === undefined ? {} : { baseline } },
    ...(optimizer === '' ? {} : { step: { optimizer, learning_rate: learningRate } }),
  }
}
