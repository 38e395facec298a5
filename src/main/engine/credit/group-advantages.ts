/**
 * Group formulas applied to rollouts that name their group: what one number a rollout, or one number a token, becomes
 * among the rollouts it is compared with. A rollout without a reward is in no group. The formulas of whole responses are
 * `estimators/baselines.ts`'s.
 */
import type { Trajectory } from '../../../shared/trajectory.ts'
import { standardDeviation } from '../study/statistics.ts'
import { allEqual, groupNormalised } from './estimators/baselines.ts'
import { rewardToGo } from './estimators/reward-to-go.ts'

type Graded = Pick<Trajectory, 'group' | 'reward'>

/** Added to a group's deviation, as the trainers of public libraries do. */
const DEVIATION_EPSILON = 1e-4

/** (R − mean)/(deviation + ε) with the deviation of n − 1. */
export const grpo = (rewards: readonly number[]): number[] => groupNormalised(rewards, 1, DEVIATION_EPSILON)

/**
 * Token rewards of one group standardised over all its tokens, then summed from each token to the end of its rollout:
 * group-relative advantages with process supervision. 0 where all token rewards are equal.
 */
export function processAdvantages(tokenRewards: readonly (readonly number[])[]): number[][] {
  const standard = grpo(tokenRewards.flat())
  let next = 0
  return tokenRewards.map(({ length }) => {
    next += length
    return rewardToGo(standard.slice(next - length, next), 1)
  })
}

/** One advantage a rollout by `ofGroup` (default GRPO), in their order; 0 for a rollout without a reward. */
export function groupAdvantages(
  rollouts: readonly Graded[],
  ofGroup: (rewards: readonly number[]) => readonly number[] = grpo,
): number[] {
  const all = new Array<number>(rollouts.length).fill(0)
  for (const places of groupsOf(rollouts)) {
    const values = ofGroup(places.map((i) => rollouts[i]!.reward!))
    places.forEach((i, k) => {
      all[i] = values[k]!
    })
  }
  return all
}

/** The standard deviation (of n − 1) of the rewards of each rollout's group; 0 where they are equal or there is one. */
export function groupDeviations(rollouts: readonly Graded[]): number[] {
  return groupAdvantages(rollouts, (rewards) =>
    rewards.map(() => (allEqual(rewards) ? 0 : standardDeviation(rewards, 1))),
  )
}

/** Places of the rewarded rollouts of each group, groups in the order of their first. */
export function groupsOf(rollouts: readonly Graded[]): number[][] {
  const members = new Map<string, number[]>()
  rollouts.forEach(({ group, reward }, i) => {
    if (reward === null) return
    const places = members.get(group)
    if (places === undefined) members.set(group, [i])
    else places.push(i)
  })
  return [...members.values()]
}
