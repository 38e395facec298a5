/** What the recorder reads of a PPO update: the gradient of the clipped surrogate at the policy before the step. */
import type { RecordedReading } from '../../../shared/credit-audit.ts'
import type { Rollout } from '../../../shared/stage.ts'
import type { PpoConfig } from '../../../shared/training-config.ts'
import { auditRollouts } from '../credit/geometry/audit-rollouts.ts'
import { ppoActorLoss } from './ppo-math.ts'
import { tokenLogProbs } from './reading.ts'
import { responseShape } from './response-shape.ts'
import type { Role } from './role.ts'
import type { StageContext } from './stage-context.ts'

/** @returns null where the gradient is exactly zero */
export async function auditPpoUpdate(
  context: StageContext,
  actor: Role,
  rollouts: readonly Rollout[],
  config: PpoConfig,
  promptColumns: number,
): Promise<RecordedReading | null> {
  const rows = rollouts.map((rollout) => ({
    id: rollout.rollout_id,
    promptIds: rollout.prompt_ids,
    completionIds: rollout.response_ids,
  }))
  const shape = responseShape(context, rows, promptColumns, config.max_new_tokens)
  const { gradient } = ppoActorLoss(
    await tokenLogProbs(context.model, actor, rows, shape),
    rollouts.map((rollout) => rollout.old_token_logprobs),
    rollouts.map((rollout) => rollout.advantages),
    rollouts.map((rollout) => rollout.response_ids.map(() => true)),
    config.clip_epsilon,
  )
  // The loss is descended; what it ascends is its negative.
  const coefficients = gradient.map((row) => row.map((slope) => -slope))
  return auditRollouts(context.model, actor, rows, coefficients, shape)
}
