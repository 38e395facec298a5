/**
 * Comp-GAE: the policy's own attention says how much of what comes later each token passes back, and a linear head on the
 * policy's own states is the critic. Gates and states are constants: neither is learned through.
 */
import type { GroupConfig } from '../../../../shared/training-config.ts'
import { chainOf } from '../../credit/estimators/advantage-trace.ts'
import { gatedAdvantage } from '../../credit/estimators/comp-gae.ts'
import { actionRewards } from '../../credit/estimators/placement.ts'
import { retentionGate } from '../../credit/estimators/retention-gate.ts'
import { ofActions } from '../../credit/trained-row.ts'
import { AlignedCritic, type CriticTargets } from '../../credit/transport/aligned-critic.ts'
import { readTransport } from '../../credit/transport/transport-reading.ts'
import { TorchRandom } from '../../random/torch-random.ts'
import type { AdvantageStrategy, SampledRollout } from '../advantage-strategy.ts'
import type { StageContext } from '../stage-context.ts'
import type { PhaseClock } from '../stage-run.ts'

/** Offset from the run's seed: permutations of the shuffled control. */
const SHUFFLE_SEED_OFFSET = 400

/** `gate`: where a token's gate comes from, the policy's attention or a control. */
export type CompPoSettings = Pick<
  GroupConfig,
  'gate' | 'gate_min' | 'gate_max' | 'gae_lambda' | 'critic_learning_rate' | 'value_loss_coef' | 'seed'
>

export function comppoCredit(context: StageContext, settings: CompPoSettings, clock: PhaseClock): AdvantageStrategy {
  const { model, base } = context
  const width = base.config.hiddenSize
  const critic = new AlignedCritic(width, settings.value_loss_coef)
  const random = new TorchRandom(settings.seed + SHUFFLE_SEED_OFFSET)
  let states: readonly Float32Array[] = []
  return {
    name: 'comp-gae',
    identity: {},
    credit: async (rollouts, policy, shape) => {
      const rows = rollouts.map(({ row }) => row)
      const readings = await clock.time('critic', () => readTransport(model, policy, rows, shape))
      states = readings.map((reading, i) => statesOfActions(reading.states, rows[i]!.actionMask, width))
      const gates = controlled(
        readings.map(({ concentration }, i) =>
          ofActions(rows[i]!, concentration).map((c) => retentionGate(c, settings.gate_min, settings.gate_max)),
        ),
        settings,
        (count) => random.randperm(count),
      )
      return rollouts.map((rollout, i) => {
        const values = critic.values(states[i]!)
        const rewards = actionRewards(asEstimated(rollout))
        // As in the study's PPO, a cut ends the episode: its penalty is a reward, and no value is read past it.
        const steps = chainOf(rewards, values, { terminal: true, value: 0 })
        const { advantages, returns } = gatedAdvantage(steps, gates[i]!, settings.gae_lambda)
        const whole = rewards.reduce((sum, reward) => sum + reward, 0) - values[0]!
        return { advantage: whole, advantages, returns, values, retention: gates[i]! }
      })
    },
    critic: {
      learner: critic.learner,
      learningRate: settings.critic_learning_rate,
      gradient: async (_rollouts, credits) =>
        critic.gradient(credits.map(({ returns }, i): CriticTargets => ({ states: states[i]!, returns: returns! }))),
      saved: (policy) => critic.onPolicy(policy, base),
    },
    tensors: () => ({ permutations: random.state().words }),
    restore: ({ permutations }) => {
      random.setState({ words: permutations as Uint32Array, nextNormal: null })
    },
  }
}

const asEstimated = ({ trajectory }: SampledRollout) => ({
  trajectory,
  outcome: trajectory.reward,
  file: 'sampled rollouts',
})

/**
 * The gates as they are, or a control that keeps something of them and not the rest: `shuffled` keeps each response's
 * gates, `position` the mean gate of every position over the rollouts, `constant` the largest allowed gate everywhere.
 */
export function controlled(
  gates: readonly (readonly number[])[],
  { gate, gate_max: most }: Pick<CompPoSettings, 'gate' | 'gate_max'>,
  permutation: (count: number) => readonly number[],
): readonly (readonly number[])[] {
  switch (gate) {
    case 'attention':
      return gates
    case 'constant':
      return gates.map((row) => row.map(() => most))
    case 'shuffled':
      return gates.map((row) => permutation(row.length).map((from) => row[from]!))
    case 'position':
      return gates.map((row) =>
        row.map((_, t) => {
          const here = gates.flatMap((other) => (t < other.length ? [other[t]!] : []))
          return here.reduce((sum, value) => sum + value, 0) / here.length
        }),
      )
  }
}

function statesOfActions(states: Float32Array, actionMask: readonly boolean[], width: number): Float32Array {
  const kept = actionMask.flatMap((isAction, t) => (isAction ? [t] : []))
  const own = new Float32Array(kept.length * width)
  kept.forEach((t, i) => {
    own.set(states.subarray(t * width, (t + 1) * width), i * width)
  })
  return own
}
