/** What an audit is asked for, as the form holds it. */
import type { TrajectoryList } from '../../../shared/credit.ts'
import type { AuditDtype, Partition, Reduction } from '../../../shared/credit-audit.ts'

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

export function firstForm(list: TrajectoryList): AuditForm {
  return {
    partition: 'rollout',
    dtype: 'float32',
    reduction: 'response-mean',
    advantages: hasAll(list, 'advantages') ? 'recorded' : 'monte-carlo:grpo',
    optimizer: '',
    learningRate: 1e-3,
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
