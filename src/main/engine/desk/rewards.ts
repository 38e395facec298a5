/**
 * The reward of an episode, in named parts, and the share of each agent turn in it: every cost stands at the turn that
 * caused it, every verdict at the turn it judges. The turns' rewards sum to the episode's.
 */
import type { DeskPrices } from '../../../shared/desk-rules.ts'
import type { DeskEnd, DeskEvent } from './environment.ts'

export const rewardParts = ['rubric', 'reward_model', 'checks', 'invalid', 'truncation'] as const
export type RewardPart = (typeof rewardParts)[number]

export interface DeskReward {
  readonly total: number
  readonly parts: Readonly<Record<RewardPart, number>>
  /** One a turn of the agent, in order. */
  readonly turns: readonly number[]
}

/**
 * Null where the environment failed: such an episode says nothing about the policy, not even what its checks cost.
 * @param score the reward model's, or null where none is asked
 * @throws RangeError where a weight asks for a score that is not there, or for an episode without turns
 */
export function deskReward(
  events: readonly DeskEvent[],
  end: DeskEnd,
  prices: DeskPrices,
  score: number | null,
): DeskReward | null {
  if (end === 'environment_failure') return null
  if (events.length === 0) throw new RangeError('an episode without turns has no reward')
  if (prices.reward_model_weight !== 0 && score === null) throw new RangeError('no score of the reward model is given')
  const parts = nothing()
  const turns = events.map((event, k) => {
    const own = nothing()
    if (event.kind === 'check') own.checks = -prices.check_cost
    if (event.kind === 'invalid') own.invalid = -prices.invalid_cost
    if (event.kind === 'answer' && event.verdict.rubric_success) own.rubric = prices.rubric_weight
    if (k === events.length - 1) {
      own.reward_model = prices.reward_model_weight * (score ?? 0)
      if (end !== 'answered') own.truncation = prices.truncation_penalty
    }
    for (const part of rewardParts) parts[part] += own[part]
    return rewardParts.reduce((sum, part) => sum + own[part], 0)
  })
  return { total: turns.reduce((sum, value) => sum + value, 0), parts, turns }
}

function nothing(): Record<RewardPart, number> {
  return { rubric: 0, reward_model: 0, checks: 0, invalid: 0, truncation: 0 }
}
