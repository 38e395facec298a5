/** One iteration of group learning in its two halves: what is sampled and fixed, and an update on it. Keeps no record. */
import type { PolicyUpdate } from '../../../shared/group-run.ts'
import type { GroupConfig } from '../../../shared/training-config.ts'
import { overCompletion } from '../credit/trained-row.ts'
import type { AdvantageStrategy, Credit, Critic } from './advantage-strategy.ts'
import { type GroupRequest, type Sampled, sampleGroups } from './group-rollouts.ts'
import { type CreditedRow, groupGradient, groupStep } from './group-update.ts'
import type { Learner } from './learner.ts'
import type { RolloutTask } from './rollout-source.ts'
import type { StageContext } from './stage-context.ts'
import type { PhaseClock } from './stage-run.ts'

/** Everything of one iteration that its updates read. */
export interface FixedIteration {
  readonly sampled: Sampled
  /** Of the rollouts with a reward, in their order. */
  readonly credits: readonly Credit[]
  readonly rows: readonly CreditedRow[]
}

export async function sampleAndCredit<Task extends RolloutTask>(
  strategy: AdvantageStrategy,
  request: GroupRequest<Task>,
): Promise<FixedIteration> {
  const sampled = await sampleGroups(request)
  const { rollouts, shape } = sampled
  const credits = await strategy.credit(rollouts, request.policy, shape)
  const rows = rollouts.map(
    ({ row, old, reference }, i): CreditedRow => ({
      row,
      old,
      reference,
      advantages: overCompletion(row, credits[i]!.advantages),
    }),
  )
  return { sampled, credits, rows }
}

export interface Updater {
  readonly context: StageContext
  readonly clock: PhaseClock
  readonly config: Pick<GroupConfig, 'weight_decay' | 'gradient_clip' | 'clip_epsilon' | 'kl_coefficient'>
  readonly learner: Learner
  readonly critic: Critic | undefined
}

/** Both gradients are of the state before the update; neither the policy nor the critic sees the other's step. */
export async function takeUpdate(
  { context, clock, config, learner, critic }: Updater,
  { sampled: { rollouts, shape }, credits, rows }: FixedIteration,
  { update, epoch, rates }: { update: number; epoch: number; rates: { policy: number; critic: number } },
): Promise<PolicyUpdate> {
  const step = {
    update,
    epoch,
    learningRate: rates.policy,
    weightDecay: config.weight_decay,
    gradientClip: config.gradient_clip,
    epsilon: config.clip_epsilon,
    klCoefficient: config.kl_coefficient,
  }
  const logProbs = await clock.time('policy_optimization', () => groupGradient(context, learner, rows, shape, step))
  const criticLoss =
    critic === undefined
      ? null
      : await clock.time('critic_optimization', () => critic.gradient(rollouts, credits, shape))
  const line = await clock.time('policy_optimization', async () => groupStep(learner, rows, logProbs, step))
  if (critic === undefined || criticLoss === null) return line
  const norm = await clock.time('critic_optimization', async () =>
    critic.learner.step({
      learningRate: rates.critic,
      weightDecay: config.weight_decay,
      maxNorm: config.gradient_clip,
    }),
  )
  return { ...line, critic: { learning_rate: rates.critic, loss: criticLoss, grad_norm: norm } }
}
