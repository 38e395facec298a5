/**
 * Whether the audited policy is the one that sampled: its log-probabilities beside those that the rollouts carry. A gradient
 * at other parameters adds up just as well, and is of an update that nobody would take.
 */
import type { SamplingGap } from '../../../../shared/credit-audit.ts'
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { tokenLogProbs } from '../../learn/reading.ts'
import type { Role } from '../../learn/role.ts'
import type { BatchShape } from '../../nn/batch.ts'
import type { Model } from '../../nn/model.ts'
import type { TrajectoryBatch } from './credit-batch.ts'

/** Of the trained tokens that carry `logprobs`; null where none does. In natural-log units. */
export async function samplingGap(
  model: Model,
  policy: Role,
  { rows, positions }: TrajectoryBatch,
  trajectories: readonly Trajectory[],
  shape: BatchShape,
): Promise<SamplingGap | null> {
  const recorded = positions.map(({ rollout, turn, index }) => trajectories[rollout]!.turns[turn]!.logprobs?.[index])
  if (recorded.every((value) => value === undefined)) return null
  const computed = await tokenLogProbs(model, policy, rows, shape)
  const gaps = positions.flatMap(({ rollout, column }, i) => {
    const sampled = recorded[i]
    return sampled === undefined ? [] : [Math.abs(computed[rollout]![column]! - sampled)]
  })
  return {
    tokens: gaps.length,
    mean: gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length,
    max: gaps.reduce((most, gap) => Math.max(most, gap), 0),
  }
}
