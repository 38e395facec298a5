/**
 * PPO over several turns: a critic beside the policy, and generalised advantages along the chain of action tokens. Turn
 * rewards stand at the last token of their turn; every token pays for leaving the reference, as in single-turn PPO.
 */
import type { CriticSettings } from '../../../../shared/group-run.ts'
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { chainAdvantage } from '../../credit/estimators/gae.ts'
import { actionRewards } from '../../credit/estimators/placement.ts'
import { ofActions, overCompletion } from '../../credit/trained-row.ts'
import { perToken, type TokenRow } from '../../nn/batch.ts'
import { criticObjective } from '../../nn/objectives.ts'
import { accumulateGradient } from '../accumulate-gradient.ts'
import type { AdvantageStrategy, Credit, SampledRollout } from '../advantage-strategy.ts'
import { groupShape } from '../group-shape.ts'
import { Learner } from '../learner.ts'
import { prefixValues } from '../reading.ts'
import type { Role } from '../role.ts'
import type { StageContext } from '../stage-context.ts'
import type { PhaseClock } from '../stage-run.ts'

export interface SkipObservationParts {
  readonly context: StageContext
  /** The value model that learns: a role with a value head, sharing no memory with the policy. */
  readonly critic: Role
  readonly settings: CriticSettings
  readonly clock: PhaseClock
}

export function skipObservationCredit({ context, critic, settings, clock }: SkipObservationParts): AdvantageStrategy {
  const { model } = context
  const learner = new Learner(critic)
  return {
    name: 'gae-skip-observation',
    identity: { ...settings },
    critic: {
      learner,
      learningRate: settings.learning_rate,
      gradient: async (rollouts, credits, shape) => {
        const items = rollouts.map(({ row }, i) => ({ row, returns: overCompletion(row, credits[i]!.returns!) }))
        const objective = criticObjective(settings.value_loss_coef)
        const { layout, state } = learner.role
        const { loss } = await accumulateGradient(
          learner,
          items,
          ({ row }) => row,
          shape,
          async (batch, part, weights) => {
            const returns = perToken(
              part.map((item) => item.returns),
              batch.shape,
            )
            const name = `critic ${settings.value_loss_coef}`
            const read = await model.evaluate(name, objective, layout, state, batch, { returns, weights }, learner.part)
            return { loss: read.loss![0]!, perToken: [] }
          },
        )
        return loss
      },
    },
    credit: async (rollouts, _policy, shape) => {
      const rows = rollouts.map(withTail)
      const wide = groupShape(context, rows, {
        prompt: shape.prompt,
        completion: shape.response + longestTail(rollouts),
      })
      const values = await clock.time('critic', () => prefixValues(model, critic, rows, wide))
      return rollouts.map((rollout, i) => creditOf(rollout, values[i]!, settings))
    },
  }
}

/** @param values V of the prefix before each token of the row with its tail, then after the last */
export function creditOf(rollout: SampledRollout, values: readonly number[], settings: CriticSettings): Credit {
  const { trajectory, row, old, reference } = rollout
  const { gamma, gae_lambda: lambda, kl_coefficient: beta } = settings
  const own = ofActions(row, values)
  const [behaviour, frozen] = [ofActions(row, old), ofActions(row, reference)]
  const rewards = actionRewards({ trajectory, outcome: trajectory.reward, file: 'sampled rollouts' }).map(
    (reward, t) => reward - beta * (behaviour[t]! - frozen[t]!),
  )
  // A cut episode could have gone on: what it would have brought is the critic's to say.
  const end = { terminal: trajectory.terminated, value: trajectory.terminated ? 0 : values.at(-1)! }
  const { advantages, returns } = chainAdvantage(rewards, own, end, gamma, lambda)
  const total = rewards.reduce((sum, reward) => sum + reward, 0)
  return { advantage: total - own[0]!, advantages, returns, values: own }
}

/** The row with the observation that its last action got: the state in which a cut episode would have gone on. */
function withTail({ row, trajectory }: SampledRollout): TokenRow {
  const tail = tailOf(trajectory)
  return { promptIds: row.promptIds, completionIds: [...row.completionIds, ...tail] }
}

function tailOf({ turns, terminated }: Trajectory): readonly number[] {
  const last = turns.at(-1)
  return terminated || last === undefined || last.role === 'assistant' ? [] : (last.token_ids ?? [])
}

function longestTail(rollouts: readonly SampledRollout[]): number {
  return rollouts.reduce((most, { trajectory }) => Math.max(most, tailOf(trajectory).length), 0)
}
