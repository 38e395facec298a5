/** Token replacement: each token is paid what the reward would lose if a token without meaning stood in its place. */
import { eachRollout, type Method } from './method.ts'
import { actionNumbers } from './recorded.ts'
import { rewardToGo } from './reward-to-go.ts'

export const p2t: Method = {
  name: 'p2t',
  formula: 'A_t = r_t = ⟨∂R/∂e_t, E[y_t] − E[null]⟩',
  step: 'one action token; observations take no step',
  reads: 'none',
  needs: ['token_influences (assistant)'],
  settings: ['gamma'],
  conventions: { return: 'Σ_{k≥t} γ^(k−t) r_k', outcome: 'not read' },
  source: 'P2T (training-free reward attribution by token replacement)',
  cannotClaim: 'what a real replacement does: first order, one token at a time, and the sum is not the reward',
  estimate: eachRollout((rollout, { gamma }) => {
    const rewards = actionNumbers(rollout, 'token_influences', 'p2t')
    return { advantages: rewards, returns: rewardToGo(rewards, gamma) }
  }),
}
