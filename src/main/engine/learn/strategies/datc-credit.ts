/** Direction-aware token credit: GRPO's advantage of a response, shared among its tokens by `credit/datc`. */
import type { GroupConfig } from '../../../../shared/training-config.ts'
import { directionalCredit } from '../../credit/datc/directional-credit.ts'
import { isContent } from '../../credit/datc/formatting.ts'
import { standardisedGradients } from '../../credit/datc/input-gradients.ts'
import { tokenWeights } from '../../credit/datc/token-weights.ts'
import { vocabularySums } from '../../credit/datc/vocabulary-sums.ts'
import { groupAdvantages, groupDeviations } from '../../credit/group-advantages.ts'
import { ofActions } from '../../credit/trained-row.ts'
import { TorchRandom } from '../../random/torch-random.ts'
import type { AdvantageStrategy } from '../advantage-strategy.ts'
import type { RewardJudge } from '../reward-judge.ts'
import type { PhaseClock } from '../stage-run.ts'

/** Offset from the run's seed: permutations of the `shuffled` ablation. */
const SHUFFLE_SEED_OFFSET = 400

export function datcCredit(
  judge: RewardJudge,
  { max_weight: maxWeight, ablation, seed }: Pick<GroupConfig, 'max_weight' | 'ablation' | 'seed'>,
  clock: PhaseClock,
): AdvantageStrategy {
  const { model, tokenizer } = judge.context
  const random = new TorchRandom(seed + SHUFFLE_SEED_OFFSET)
  return {
    name: 'datc',
    identity: {},
    credit: async (rollouts, policy, shape) => {
      const trajectories = rollouts.map(({ trajectory }) => trajectory)
      const advantages = groupAdvantages(trajectories)
      const readings = await judge.readingsOf(rollouts, shape)
      const gradients = standardisedGradients(
        readings.map(({ inputGradient }) => {
          if (inputGradient === null) throw new Error('datc needs a judge that takes gradients')
          return inputGradient
        }),
        groupDeviations(trajectories),
      )
      const rows = rollouts.map(({ row }) => row)
      const sums = await clock.time('token_credit', () => vocabularySums(model, policy, rows, gradients, shape))
      return rows.map((row, i) => {
        const advantage = advantages[i]!
        const content = ofActions(row, row.completionIds).map((id) => isContent(tokenizer, id))
        const count = content.filter((inside) => inside).length
        const directions = ofActions(row, sums[i]!).map(directionalCredit)
        const permutation = ablation === 'shuffled' ? random.randperm(count) : undefined
        const credited = tokenWeights(directions, advantage, content, { maxWeight, ablation }, permutation)
        return {
          advantage,
          weights: credited.weights,
          advantages: credited.weights.map((weight) => advantage * weight),
          facts: {
            temperature: credited.temperature,
            predicted_gain: credited.predictedGain,
            predicted_gain_uniform: credited.predictedGainUniform,
          },
        }
      })
    },
    tensors: () => ({ permutations: random.state().words }),
    restore: ({ permutations }) => {
      random.setState({ words: permutations as Uint32Array, nextNormal: null })
    },
  }
}
