/**
 * One audit from a policy and a batch: shares of the chosen parts, how nearly they add up, and whether a real optimizer step
 * executes that sum. Where rollouts and advantages come from is the caller's.
 */
import { BadInput } from '../../../../shared/bad-input.ts'
import type {
  AuditDtype,
  CreditAudit,
  Partition,
  Reduction,
  RefusedAudit,
  StepConservation,
} from '../../../../shared/credit-audit.ts'
import type { Trajectory } from '../../../../shared/trajectory.ts'
import type { Role } from '../../learn/role.ts'
import type { Model, Numbers } from '../../nn/model.ts'
import { arithmeticOf, modelIn } from './audit-model.ts'
import { creditBatch } from './credit-batch.ts'
import { disintegrate, type OnPass, tokenShares, ZeroGradient } from './disintegrate.ts'
import { byToken, partitionNamed, partsOf } from './partition.ts'
import { PolicyGradient, policyParameters } from './policy-gradient.ts'
import { samplingGap } from './sampling-gap.ts'
import { stepConservation } from './step-conservation.ts'

export interface AuditRequest {
  /** Rollouts that have a reward or whose advantages are given. */
  readonly trajectories: readonly Trajectory[]
  /** One number an action token, per rollout. */
  readonly advantages: readonly (readonly number[])[]
  /** Where the advantages come from, in words. */
  readonly advantagesFrom: string
  readonly leftOut?: readonly string[]
  /** The role was drawn for the audit. */
  readonly fresh?: boolean
  /** Named in messages. */
  readonly file: string
  readonly partition: Partition
  readonly dtype: AuditDtype
  readonly reduction: Reduction
  /** Absent: no step is taken. */
  readonly step?: { readonly optimizer: string; readonly learningRate: number }
}

/**
 * @throws BadInput for rollouts that the model cannot be trained on, or a dtype that cannot be computed here
 * @throws NonFinite where a gradient is not finite
 */
export async function auditCredit(
  model: Model,
  role: Role,
  request: AuditRequest,
  onPass: OnPass = () => {},
): Promise<CreditAudit | RefusedAudit> {
  const { trajectories, partition, dtype, reduction, step, file } = request
  const { vocabSize, maxPositions } = model.base.config
  const batch = creditBatch(trajectories, request.advantages, reduction, file, { vocabSize, maxPositions })
  const policy = { ...role, ...policyParameters(role) }
  const { state } = policy
  if (state.data.length === 0) throw new BadInput(file, 'cannot be audited: the adapter has no trainable tensor')
  const audited = modelIn(model, dtype)
  const source = new PolicyGradient(audited, role, batch)
  const gap = await samplingGap(model, policy, batch, trajectories, source.shape)
  const about = {
    partition,
    dtype,
    ...arithmeticOf(audited),
    reduction,
    advantages: request.advantagesFrom,
    trained_positions: batch.positions.length,
    rollouts: batch.rows.length,
    left_out: request.leftOut ?? [],
    ...(request.fresh === true && { adapter: 'fresh' as const }),
    parameters: state.data.length,
    ...(gap !== null && { sampling_gap: gap }),
  }
  const stepOf = (gradient: Numbers, summed: Numbers): { step_conservation?: StepConservation } =>
    step === undefined
      ? {}
      : { step_conservation: stepConservation({ ...step, dtype, parameters: state.data, gradient, summed }) }
  try {
    if (partition === 'token') {
      const read = await tokenShares(source, onPass)
      return {
        ...about,
        backward_passes: read.backward_passes,
        forward_mode_passes: read.forward_mode_passes,
        parts: batch.positions.map((position, i) => ({
          name: byToken(position),
          positions: 1,
          projected_share: read.shares[i]!,
        })),
        projected_share_sum: read.projected_share_sum,
        conservation_error: read.conservation_error,
        conservation_of: 'projection',
        full_norm: read.full_norm,
        ...stepOf(read.full.data, read.full.data),
      }
    }
    const read = await disintegrate(source, partsOf(batch.positions, partitionNamed[partition]), onPass)
    return {
      ...about,
      backward_passes: read.backward_passes,
      parts: read.parts,
      projected_share_sum: read.projected_share_sum,
      conservation_error: read.conservation_error,
      conservation_of: 'gradient',
      cancellation: read.cancellation,
      full_norm: read.full_norm,
      ...stepOf(read.full.data, read.summed.values()),
    }
  } catch (error) {
    if (!(error instanceof ZeroGradient)) throw error
    return { ...about, backward_passes: error.backwardPasses, ...refusal(batch.positions) }
  }
}

function refusal(positions: readonly { readonly coefficient: number }[]) {
  const nonZero = positions.filter(({ coefficient }) => coefficient !== 0).length
  return {
    verdict: 'refused' as const,
    reason:
      nonZero === 0
        ? 'every advantage is zero, so the update is zero and nothing has a share of it'
        : 'the gradient is zero, or its square too small for this dtype to hold, so nothing has a share of it',
    numbers: { full_norm: 0, trained_positions: positions.length, positions_with_credit: nonZero },
    remedy:
      nonZero === 0
        ? 'take groups whose rewards differ, or --baseline none'
        : 'take advantages of a larger scale, or a wider dtype where there is one',
  }
}
