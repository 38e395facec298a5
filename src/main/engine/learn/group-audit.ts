/** What the recorder reads of a group update: the gradient of its whole loss, divergence included, before the step. */
import type { RecordedReading } from '../../../shared/credit-audit.ts'
import { auditRollouts } from '../credit/geometry/audit-rollouts.ts'
import type { BatchShape } from '../nn/batch.ts'
import { groupLoss } from './group-math.ts'
import type { CreditedRow } from './group-update.ts'
import { tokenLogProbs } from './reading.ts'
import type { Role } from './role.ts'
import type { StageContext } from './stage-context.ts'

/** @returns null where the gradient is exactly zero */
export async function auditGroupUpdate(
  { model }: StageContext,
  policy: Role,
  rows: readonly CreditedRow[],
  shape: BatchShape,
  step: { readonly epsilon: number; readonly klCoefficient: number },
): Promise<RecordedReading | null> {
  const learned = rows.map(({ row }) => row)
  const { gradient } = groupLoss(
    await tokenLogProbs(model, policy, learned, shape),
    rows.map(({ old }) => old),
    rows.map(({ reference }) => reference),
    rows.map(({ advantages }) => advantages),
    learned.map(({ actionMask }) => actionMask),
    step,
  )
  // The loss is descended; what it ascends is its negative.
  const coefficients = gradient.map((row) => row.map((slope) => -slope))
  return auditRollouts(model, policy, learned, coefficients, shape)
}
