/**
 * Token rewards read out of the reward model, compared over the tokens of the group and summed to the end of the rollout:
 * RED pays differences of prefix scores, P2T first-order influences of a null token.
 */

import { influences, redistributed } from '../../credit/datc/token-rewards.ts'
import { groupAdvantages, groupsOf, processAdvantages } from '../../credit/group-advantages.ts'
import type { AdvantageStrategy, Credit, SampledRollout } from '../advantage-strategy.ts'
import { nullTokenId } from '../null-token.ts'
import type { JudgeReading, RewardJudge } from '../reward-judge.ts'

export function redCredit(judge: RewardJudge): AdvantageStrategy {
  return tokenRewardCredit('red', judge, (rollout, reading) => redistributed(rollout.row, reading))
}

export function p2tCredit(judge: RewardJudge): AdvantageStrategy {
  const { base } = judge.context
  const table = base.float32('model.embed_tokens.weight')
  const nullId = nullTokenId(judge.context)
  return tokenRewardCredit('p2t', judge, (rollout, { inputGradient }) => {
    if (inputGradient === null) throw new Error('p2t needs a judge that takes gradients')
    return influences(rollout.row, { inputGradient }, table, base.config.hiddenSize, nullId)
  })
}

function tokenRewardCredit(
  name: 'red' | 'p2t',
  judge: RewardJudge,
  rewardsOf: (rollout: SampledRollout, reading: JudgeReading) => readonly number[],
): AdvantageStrategy {
  return {
    name,
    identity: {},
    credit: async (rollouts, _policy, shape) => {
      const readings = await judge.readingsOf(rollouts, shape)
      const rewards = rollouts.map((rollout, i) => rewardsOf(rollout, readings[i]!))
      const trajectories = rollouts.map(({ trajectory }) => trajectory)
      const whole = groupAdvantages(trajectories)
      const credits = new Array<Credit>(rollouts.length)
      for (const places of groupsOf(trajectories))
        processAdvantages(places.map((i) => rewards[i]!)).forEach((advantages, k) => {
          const i = places[k]!
          credits[i] = { advantage: whole[i]!, advantages }
        })
      return credits
    },
  }
}
