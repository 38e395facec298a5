/** The turn concentration of a trajectory file under a policy: two audits of one gradient, by turn and by rollout. */
import type { AuditSettings, RefusedAudit } from '../../../shared/credit-audit.ts'
import type { TurnConcentration } from '../../../shared/turn-concentration.ts'
import type { OnPass } from '../../engine/credit/geometry/disintegrate.ts'
import { turnConcentration } from '../../engine/credit/turn-concentration.ts'
import type { StageContext } from '../../engine/learn/stage-context.ts'
import { readTrajectories } from '../../rows/read-trajectories.ts'
import { type AuditFileRequest, auditFile } from './audit-file.ts'

export interface ConcentrationOfFile extends TurnConcentration {
  readonly dtype: AuditSettings['dtype']
  readonly reduction: AuditSettings['reduction']
  readonly advantages: string
  readonly left_out: readonly string[]
  readonly backward_passes: number
  /** Of the audit by turn, over the whole batch. */
  readonly cancellation: number
  readonly conservation_error: number
  readonly projected_share_sum: number
}

/** A refused audit is the answer where there is no gradient to share out. Throws as `auditFile`. */
export async function concentrationOfFile(
  stage: StageContext,
  request: Omit<AuditFileRequest, 'settings'> & { readonly settings: Omit<AuditSettings, 'partition'> },
  onPass?: (partition: 'turn' | 'rollout', ...passes: Parameters<OnPass>) => void,
): Promise<ConcentrationOfFile | RefusedAudit> {
  const audited = (partition: 'turn' | 'rollout') =>
    auditFile(stage, { ...request, settings: { ...request.settings, partition } }, (done, total) =>
      onPass?.(partition, done, total),
    )
  const byTurn = await audited('turn')
  if ('verdict' in byTurn) return byTurn
  const byRollout = await audited('rollout')
  if ('verdict' in byRollout) return byRollout
  const rows = (await readTrajectories(request.input)).map(({ row }) => row)
  const { dtype, reduction, advantages, left_out, projected_share_sum, conservation_error } = byTurn
  return {
    dtype,
    reduction,
    advantages,
    left_out,
    backward_passes: byTurn.backward_passes + byRollout.backward_passes,
    cancellation: byTurn.cancellation!,
    conservation_error,
    projected_share_sum,
    ...turnConcentration(rows, byTurn.parts, byRollout.parts),
  }
}
