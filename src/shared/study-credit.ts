/** What a study's own credit readings say, as its document carries them; tokens stay in the run. */
import type { RefusedMethod } from './credit.ts'
import type { CreditAudit, CreditAuditLine, RecordedReading, RecordedShare, RefusedAudit } from './credit-audit.ts'
import type { CreditComparison } from './credit-estimates.ts'
import type { StudySummary } from './datc-study.ts'

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

/** What was computed with DATC about the study; both oldest first. */
export interface StudyDatc {
  /** Token weights of the PPO run's rollouts. */
  readonly readings: readonly {
    readonly run_id: string
    readonly created_at: string
    /** First and last iteration that was asked about; null for all. */
    readonly iterations: readonly [number, number] | null
    /** In words, whose logits the directions are of. */
    readonly policy: string
    readonly max_weight: number
    readonly ablation: string
    readonly rollouts: number
    /** Rollouts without a reward. */
    readonly left_out: number
    /** Mean over the rollouts; null where there is none. */
    readonly predicted_gain: number | null
    readonly predicted_gain_uniform: number | null
  }[]
  /** Studies of single steps under the study's reward model. */
  readonly steps: readonly {
    readonly run_id: string
    readonly created_at: string
    /** Which policy every step starts from: that before PPO, or after it. */
    readonly from: 'before' | 'after'
    readonly max_weight: number
    readonly ablation: string
    readonly learning_rate: number
    readonly summary: StudySummary
    readonly summary_plain: StudySummary
  }[]
}

export interface StudyCredit {
  /** In the order of the updates. */
  readonly readings: readonly StudyReading[]
  /** Finished ones, oldest first. */
  readonly audits: readonly StudyAudit[]
  /** Absent where nothing was computed with it. */
  readonly datc?: StudyDatc
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
