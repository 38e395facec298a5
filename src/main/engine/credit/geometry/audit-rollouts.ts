/**
 * The recorder's audit: the gradient an update is about to be taken on, by rollout and by token, while a run learns. The
 * trainer hands over its rows and the derivative of its own objective in each token's log-probability, so what is audited is
 * the step it takes and not a stand-in for it.
 */
import type { RecordedReading } from '../../../../shared/credit-audit.ts'
import type { Role } from '../../learn/role.ts'
import type { BatchShape, TokenRow } from '../../nn/batch.ts'
import type { Model } from '../../nn/model.ts'
import { modelIn } from './audit-model.ts'
import type { CreditBatch } from './credit-batch.ts'
import { disintegrate, sharesAlong, ZeroGradient } from './disintegrate.ts'
import { byRollout, partsOf } from './partition.ts'
import { PolicyGradient } from './policy-gradient.ts'

export interface LearnedRow extends TokenRow {
  /** Of the rollout; unique among the rows. */
  readonly id: string
}

/**
 * @param coefficients dJ/d log π of each completion token, J being what the step ascends: one list a row, as long as its
 *   completion; what stands at observations is not read
 * @param columns what rows are padded to, the same for every update of a run
 * @returns null where the gradient is exactly zero
 */
export async function auditRollouts(
  model: Model,
  policy: Role,
  rows: readonly LearnedRow[],
  coefficients: readonly (readonly number[])[],
  { prompt, response }: Pick<BatchShape, 'prompt' | 'response'>,
): Promise<RecordedReading | null> {
  const batch = rowsBatch(rows, coefficients)
  const source = new PolicyGradient(modelIn(model, 'float32'), policy, batch, { prompt, response })
  try {
    const read = await disintegrate(source, partsOf(batch.positions, byRollout))
    const tokens = await sharesAlong(source, read.full)
    return {
      trained_positions: batch.positions.length,
      backward_passes: read.backward_passes,
      forward_mode_passes: tokens.forward_mode_passes,
      full_norm: read.full_norm,
      projected_share_sum: read.projected_share_sum,
      conservation_error: read.conservation_error,
      cancellation: read.cancellation,
      token_conservation_error: tokens.conservation_error,
      rollouts: read.parts.map(({ name, ...share }, i) => ({
        rollout_id: name,
        ...share,
        token_shares: batch.positions.flatMap(({ rollout }, k) => (rollout === i ? [tokens.shares[k]!] : [])),
      })),
    }
  } catch (error) {
    if (error instanceof ZeroGradient) return null
    throw error
  }
}

/** Where a token stands in a turn is not known here, nor needed by a partition by rollout. */
function rowsBatch(rows: readonly LearnedRow[], coefficients: readonly (readonly number[])[]): CreditBatch {
  const positions = rows.flatMap(({ id, completionIds, actionMask }, rollout) => {
    const given = coefficients[rollout] ?? []
    if (given.length !== completionIds.length)
      throw new Error(`${id}: ${given.length} coefficients for ${completionIds.length} completion tokens`)
    return given.flatMap((coefficient, column) =>
      actionMask?.[column] === false ? [] : [{ rollout, id, turn: 0, index: column, segment: 0, column, coefficient }],
    )
  })
  return { rows, positions }
}
