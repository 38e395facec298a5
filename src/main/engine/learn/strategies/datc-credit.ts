/** Direction-aware token credit: GRPO's advantage of a response, shared among its tokens by `credit/datc`. */
import type { GroupConfig } from '../../../../shared/training-config.ts'
import { creditOf, directionalCredit } from '../../credit/datc/directional-credit.ts'
import { isContent } from '../../credit/datc/formatting.ts'
import { standardisedGradients } from '../../credit/datc/input-gradients.ts'
import { type Moments, sumsFromMoments } from '../../credit/datc/policy-moments.ts'
import { creditsFor, tokenWeights } from '../../credit/datc/token-weights.ts'
import { vocabularySums } from '../../credit/datc/vocabulary-sums.ts'
import { groupAdvantages, groupDeviations } from '../../credit/group-advantages.ts'
import { ofActions } from '../../credit/trained-row.ts'
import type { BatchShape } from '../../nn/batch.ts'
import { TorchRandom } from '../../random/torch-random.ts'
import type { AdvantageStrategy, SampledRollout } from '../advantage-strategy.ts'
import type { RewardJudge } from '../reward-judge.ts'
import type { Role } from '../role.ts'
import type { PhaseClock } from '../stage-run.ts'

/** Offset from the run's seed: permutations of the `shuffled` ablation. */
const SHUFFLE_SEED_OFFSET = 400

export function datcCredit(
  judge: RewardJudge,
  { max_weight: maxWeight, ablation, seed }: Pick<GroupConfig, 'max_weight' | 'ablation' | 'seed'>,
  clock: PhaseClock,
  /** Of the policy's distributions at the tokens it sampled, where the source took them. */
  moments: Moments = new WeakMap(),
): AdvantageStrategy {
  const { model, tokenizer, base } = judge.context
  const width = base.config.hiddenSize
  let table: Float32Array | undefined
  const random = new TorchRandom(seed + SHUFFLE_SEED_OFFSET)

  /** From the moments of the sampling; without them, or for the norms of `no-angle`, from another pass of the policy. */
  async function creditsOf(
    rollouts: readonly SampledRollout[],
    gradients: readonly Float32Array[],
    policy: Role,
    shape: BatchShape,
  ): Promise<readonly number[][]> {
    const taken = rollouts.map(({ sampled }) => moments.get(sampled))
    if (ablation !== 'no-angle' && taken.every((list) => list !== undefined)) {
      table ??= base.float32('model.embed_tokens.weight')
      return rollouts.map(({ row }, i) => {
        const places = row.actionMask.flatMap((isAction, t) => (isAction ? [t] : []))
        return taken[i]!.map((moment, k) => {
          const gradient = gradients[i]!.subarray(places[k]! * width, (places[k]! + 1) * width)
          const embedding = table!.subarray(moment.id * width, (moment.id + 1) * width)
          return creditOf(sumsFromMoments(moment, gradient, embedding))
        })
      })
    }
    const rows = rollouts.map(({ row }) => row)
    const sums = await vocabularySums(model, policy, rows, gradients, shape)
    return sums.map((row, i) => creditsFor(ofActions(rows[i]!, row).map(directionalCredit), ablation))
  }

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
      const credits = await clock.time('token_credit', () => creditsOf(rollouts, gradients, policy, shape))
      return rollouts.map(({ row }, i) => {
        const advantage = advantages[i]!
        const content = ofActions(row, row.completionIds).map((id) => isContent(tokenizer, id))
        const count = content.filter((inside) => inside).length
        const permutation = ablation === 'shuffled' ? random.randperm(count) : undefined
        const credited = tokenWeights(credits[i]!, advantage, content, { maxWeight, ablation }, permutation)
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
