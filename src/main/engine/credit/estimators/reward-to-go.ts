/** Rewards from a token on: an action does not answer for what was earned before it. */
import { eachRollout, type Method } from './method.ts'
import { actionRewards } from './placement.ts'

/** `G_t = Σ_{k≥t} γ^{k−t} r_k` */
export function rewardToGo(rewards: readonly number[], gamma: number): number[] {
  const returns = [...rewards]
  for (let t = rewards.length - 2; t >= 0; t--) returns[t]! += gamma * returns[t + 1]!
  return returns
}

export const rewardToGoMethod: Method = {
  name: 'reward-to-go',
  formula: 'A_t = G_t = Σ_{k≥t} γ^(k−t) r_k',
  step: 'one action token; observations take no step',
  reads: 'step',
  needs: [],
  settings: ['gamma'],
  conventions: { truncation: 'no bootstrap: what a cut rollout would still have earned counts as 0' },
  source: 'Sutton et al. 2000 (policy gradient with causality)',
  cannotClaim: 'a low variance: there is no baseline; and it is as right as the step rewards are',
  estimate: eachRollout((rollout, { gamma }) => {
    const returns = rewardToGo(actionRewards(rollout), gamma)
    return { advantages: returns, returns }
  }),
}
