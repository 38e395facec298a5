/** The result of a credit audit that read no model, for tests of everything around stages: shares sum to one and mean nothing. */
import { readFileSync } from 'node:fs'
import type { CreditAudit } from '../../shared/credit.ts'
import type { CreditAuditJob } from '../../shared/stage.ts'

export function auditOf({ trajectories, settings }: CreditAuditJob): CreditAudit {
  const ids = readFileSync(trajectories, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { id: string }).id)
  const { partition, dtype, reduction } = settings
  return {
    partition,
    dtype,
    reduction,
    advantages: 'none: no model was read',
    trained_positions: ids.length,
    rollouts: ids.length,
    left_out: [],
    parameters: 10,
    backward_passes: ids.length + 1,
    parts: ids.map((name) => ({ name, positions: 1, projected_share: 1 / ids.length, norm_share: 1 })),
    projected_share_sum: 1,
    conservation_error: 0,
    conservation_of: 'gradient',
    cancellation: ids.length,
    full_norm: 1,
  }
}
