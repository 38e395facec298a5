/** What a run recorded of its own gradients, as the screens of kept audits need it. Computes nothing. */
import { runReduction } from '../../shared/audit-defaults.ts'
import type { CreditAudit, CreditAuditLine } from '../../shared/credit-audit.ts'
import type { CreditSource } from '../../shared/credit-requests.ts'

/** Of the iterations in view. */
export function readingsOf(lines: readonly CreditAuditLine[], source: CreditSource): CreditAuditLine[] {
  if (source.kind !== 'run') return []
  const [first, last] = source.iterations ?? [0, Number.POSITIVE_INFINITY]
  return lines.filter(({ iteration }) => iteration >= first && iteration <= last)
}

/** The audit of one update by rollout, in the shape of an audit that was asked for; null where its gradient was zero. */
export function auditOfReading({ reading, dtype, update }: CreditAuditLine): CreditAudit | null {
  if (reading === null) return null
  return {
    partition: 'rollout',
    dtype,
    reduction: runReduction,
    advantages: `those of update ${update}: w·A·ratio where the clip does not bind`,
    trained_positions: reading.trained_positions,
    rollouts: reading.rollouts.length,
    left_out: [],
    parameters: 0,
    backward_passes: reading.backward_passes,
    forward_mode_passes: reading.forward_mode_passes,
    parts: reading.rollouts.map(({ rollout_id, positions, projected_share, norm_share }) => ({
      name: rollout_id,
      positions,
      projected_share,
      norm_share,
    })),
    projected_share_sum: reading.projected_share_sum,
    conservation_error: reading.conservation_error,
    conservation_of: 'gradient',
    cancellation: reading.cancellation,
    full_norm: reading.full_norm,
  }
}

export interface RecordedShares {
  /** Over the action tokens of a rollout, in order. */
  readonly shares: ReadonlyMap<string, readonly number[]>
  /** The update they are of; null where the rollouts in view were audited in several. */
  readonly update: number | null
  readonly conservationError: number | null
  /** Rollouts of that update. */
  readonly rollouts: number
}

/** Of the first audited update of each iteration: the one that is taken on the policy that sampled. Null where there is none. */
export function recordedShares(readings: readonly CreditAuditLine[]): RecordedShares | null {
  const first = new Map<number, CreditAuditLine>()
  for (const line of readings) if (line.reading !== null && !first.has(line.iteration)) first.set(line.iteration, line)
  const lines = [...first.values()]
  if (lines.length === 0) return null
  const shares = new Map(
    lines.flatMap(({ reading }) => (reading?.rollouts ?? []).map((one) => [one.rollout_id, one.token_shares] as const)),
  )
  const [only] = lines.length === 1 ? lines : []
  return {
    shares,
    update: only?.update ?? null,
    conservationError: only?.reading?.token_conservation_error ?? null,
    rollouts: only?.reading?.rollouts.length ?? shares.size,
  }
}
