/** What an audit is asked for where nobody says otherwise: one answer for the command line and the window. Data only. */
import type { AuditDtype, Partition, Reduction } from './credit-audit.ts'

export interface AuditDefaults {
  readonly partition: Partition
  readonly dtype: AuditDtype
  /** Of a file. A run's own rollouts are asked with the run's own loss, `runReduction`. */
  readonly reduction: Reduction
  /** Subtracted from each reward where the advantages are those of `monte-carlo`. */
  readonly baseline: 'grpo'
  /** η of the step that the sum is compared with: smaller ones vanish in float32 beside the parameters. */
  readonly learningRate: number
}

export const auditDefaults: AuditDefaults = {
  partition: 'rollout',
  dtype: 'float32',
  reduction: 'sum',
  baseline: 'grpo',
  learningRate: 0.01,
}

/** The loss that the trainers here descend: the mean over a response's tokens, then over responses. */
export const runReduction: Reduction = 'response-mean'

/** The objective of an audit, as texts write it: `A` are the advantages, π the policy. */
export const objectiveWords: Readonly<Record<Reduction, string>> = {
  sum: 'Σ A log π',
  'response-mean': 'mean over responses of the token mean of A log π',
}
