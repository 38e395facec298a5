/** What a study's own credit readings say, as its document carries them; tokens stay in the run. */
import type { RefusedMethod } from './credit.ts'
import type { CreditAudit, CreditAuditLine, RecordedReading, RecordedShare, RefusedAudit } from './credit-audit.ts'
import type { CreditComparison } from './credit-estimates.ts'

/** One audited update, by rollout. */
export interface StudyReading extends Omit<CreditAuditLine, 'kind' | 'reading'> {
  /** Null where the gradient was exactly zero. */
  readonly reading:
    | (Omit<RecordedReading, 'rollouts'> & { readonly rollouts: readonly Omit<RecordedShare, 'token_shares'>[] })
    | null
}

/** An audit that someone asked for about the rollouts of the study's PPO run. */
export interface StudyAudit {
  readonly run_id: string
  readonly created_at: string
  /** First and last iteration that was asked about; null for all. */
  readonly iterations: readonly [number, number] | null
  /** In words, whose parameters the gradient is at. */
  readonly policy: string
  /** Whether they sampled these rollouts; null where that is not known. */
  readonly sampled: boolean | null
  /** Of many parts, the largest and the others in one. */
  readonly audit: CreditAudit | RefusedAudit
}

export interface StudyCredit {
  /** In the order of the updates. */
  readonly readings: readonly StudyReading[]
  /** Finished ones, oldest first. */
  readonly audits: readonly StudyAudit[]
  /** Every estimator on the rollouts of the last iteration that was audited while learning; null where none was. */
  readonly methods: {
    readonly iteration: number
    readonly rollouts: number
    /** Rollouts of the largest group. */
    readonly largest_group: number
    /** Null where the rollouts can feed none. */
    readonly comparison: Omit<CreditComparison, 'advantages'> | null
    readonly refused: readonly RefusedMethod[]
  } | null
}
