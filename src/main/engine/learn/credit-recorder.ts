/** The recorder of learning runs: whether an update is to be audited, and the journal line of one that was. */
import type { CreditAuditLine, RecordedReading } from '../../../shared/credit-audit.ts'
import { learnedSha256 } from '../checkpoint/learned-state.ts'
import type { Role } from './role.ts'

export interface AuditedUpdate {
  readonly iteration: number
  readonly update: number
  readonly epoch: number
}

/** Whether the update of this number is one of every k-th. */
export const auditDue = ({ audit_every: every = 0 }: { readonly audit_every?: number | undefined }, update: number) =>
  every > 0 && update % every === 0

/** The line of this update's audit at the policy before its step; none where none is due. */
export async function recordAudit(
  config: { readonly audit_every?: number | undefined },
  { iteration, update, epoch }: AuditedUpdate,
  policy: Role,
  read: () => Promise<RecordedReading | null>,
): Promise<CreditAuditLine[]> {
  if (!auditDue(config, update)) return []
  return [
    {
      kind: 'credit-audit',
      iteration,
      update,
      epoch_within_rollout: epoch,
      policy_sha256: learnedSha256(policy.state),
      dtype: 'float32',
      reading: await read(),
    },
  ]
}
