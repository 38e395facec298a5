/** One PPO epoch over an iteration's fixed rollouts: an actor step and a critic step, each over the whole batch. */
import type { PpoObservation, PpoUpdate, Rollout } from '../../../shared/stage.ts'
import type { PpoConfig } from '../../../shared/training-config.ts'
import { cutToRows, perToken, type TokenRow } from '../nn/batch.ts'
import { criticObjective, ppoActorObjective } from '../nn/objectives.ts'
import { accumulateGradient, type MicroBatch } from './accumulate-gradient.ts'
import type { Learner } from './learner.ts'
import { criticLoss, ppoActorLoss } from './ppo-math.ts'
import { responseShape } from './response-shape.ts'
import type { StageContext } from './stage-context.ts'
import type { PhaseClock } from './stage-run.ts'

export interface PpoUpdaterParts {
  readonly context: StageContext
  readonly config: PpoConfig
  readonly actor: Learner
  readonly critic: Learner
  readonly clock: PhaseClock
  readonly promptColumns: number
}

export class PpoUpdater {
  private readonly parts: PpoUpdaterParts

  constructor(parts: PpoUpdaterParts) {
    this.parts = parts
  }

  async update(
    rollouts: readonly Rollout[],
    { update, epoch, rates }: { update: number; epoch: number; rates: PpoUpdate['learning_rates'] },
  ): Promise<PpoUpdate> {
    const { config, actor, critic, clock } = this.parts
    const logProbs = await clock.time('actor_optimization', () => this.actorGradient(rollouts))
    const values = await clock.time('critic_optimization', () => this.criticGradient(rollouts))
    // Both gradients are of the state before this update; neither role sees the other's step.
    const settings = { weightDecay: config.weight_decay, maxNorm: config.gradient_clip }
    const norms = {
      actor: await clock.time('actor_optimization', async () => actor.step({ ...settings, learningRate: rates.actor })),
      critic: await clock.time('critic_optimization', async () =>
        critic.step({ ...settings, learningRate: rates.critic }),
      ),
    }
    const masks = rollouts.map((rollout) => rollout.response_ids.map(() => true))
    const actorSide = ppoActorLoss(
      logProbs,
      rollouts.map((r) => r.old_token_logprobs),
      rollouts.map((r) => r.advantages),
      masks,
      config.clip_epsilon,
    )
    const criticSide = criticLoss(
      values,
      rollouts.map((r) => r.returns),
      masks,
      config.value_loss_coef,
    )
    return {
      update,
      epoch_within_rollout: epoch,
      learning_rates: rates,
      grad_norms: norms,
      actor_loss: actorSide.loss,
      critic_loss: criticSide.loss,
      clip_fraction: actorSide.clipFraction,
      equal_response_denominator: rollouts.length,
      observations: rollouts.map(
        (rollout, i): PpoObservation => ({
          rollout_id: rollout.rollout_id,
          current_token_logprobs: logProbs[i]!,
          ratios: actorSide.ratios[i]!,
          current_values: values[i]!,
          actor_loss: actorSide.responseLosses[i]!,
          critic_loss: criticSide.responseLosses[i]!,
          old_logprob_max_difference: logProbs[i]!.reduce(
            (m, value, t) => Math.max(m, Math.abs(value - rollout.old_token_logprobs[t]!)),
            0,
          ),
        }),
      ),
    }
  }

  private async actorGradient(rollouts: readonly Rollout[]): Promise<(readonly number[])[]> {
    const { context, config, actor } = this.parts
    return this.overMicroBatches(actor, rollouts, async (batch, part, weights) => {
      const extra = {
        old_log_probs: perToken(
          part.map((rollout) => rollout.old_token_logprobs),
          batch.shape,
        ),
        advantages: perToken(
          part.map((rollout) => rollout.advantages),
          batch.shape,
        ),
        weights,
      }
      const objective = ppoActorObjective(config.clip_epsilon)
      const { state, layout } = actor.role
      const result = await context.model.evaluate(
        `ppo-actor ${config.clip_epsilon}`,
        objective,
        layout,
        state,
        batch,
        extra,
        actor.part,
      )
      return { loss: result.loss![0]!, perToken: cutToRows(result.log_probs!, batch) }
    })
  }

  private async criticGradient(rollouts: readonly Rollout[]): Promise<(readonly number[])[]> {
    const { context, config, critic } = this.parts
    return this.overMicroBatches(critic, rollouts, async (batch, part, weights) => {
      const extra = {
        returns: perToken(
          part.map((rollout) => rollout.returns),
          batch.shape,
        ),
        weights,
      }
      const objective = criticObjective(config.value_loss_coef)
      const { state, layout } = critic.role
      const result = await context.model.evaluate(
        `critic ${config.value_loss_coef}`,
        objective,
        layout,
        state,
        batch,
        extra,
        critic.part,
      )
      const width = batch.shape.response + 1
      const values = part.map((rollout, b) =>
        Array.from(result.values!.subarray(b * width, b * width + rollout.response_ids.length)),
      )
      return { loss: result.loss![0]!, perToken: values }
    })
  }

  private async overMicroBatches(
    learner: Learner,
    rollouts: readonly Rollout[],
    run: MicroBatch<Rollout>,
  ): Promise<(readonly number[])[]> {
    const { context, config, promptColumns } = this.parts
    const shape = responseShape(context, rollouts.map(rowOf), promptColumns, config.max_new_tokens)
    return (await accumulateGradient(learner, rollouts, rowOf, shape, run)).perToken
  }
}

const rowOf = (rollout: Rollout): TokenRow => ({ promptIds: rollout.prompt_ids, completionIds: rollout.response_ids })
