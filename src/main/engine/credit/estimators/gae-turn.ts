/** GAE with a turn as one step: every token of a turn gets the turn's advantage. */
import { chainAdvantage } from './gae.ts'
import { eachRollout, type Method } from './method.ts'
import { overTokens, turnRewards } from './placement.ts'
import { ending, turnOpenings } from './recorded.ts'

export const gaeTurn: Method = {
  name: 'gae-turn',
  formula:
    'GAE over turns: r_k of a turn and its observation, V_k before its first token; every token of turn k gets A_k',
  step: 'one assistant turn with the observations after it',
  reads: 'step',
  needs: ['values (assistant; the first number of a turn)', 'bootstrap_value (where not terminated)'],
  settings: ['gamma', 'lambda'],
  conventions: { truncation: 'bootstraps from bootstrap_value', whitening: 'none' },
  source: 'Schulman et al. 2016, with the environment turn as time step',
  cannotClaim: 'anything inside a turn',
  estimate: eachRollout((rollout, { gamma, lambda }) => {
    const values = turnOpenings(rollout, 'values', 'gae-turn')
    const end = ending(rollout, 'gae-turn')
    const { advantages, returns } = chainAdvantage(turnRewards(rollout), values, end, gamma, lambda)
    return {
      advantages: overTokens(rollout.trajectory, advantages),
      returns: overTokens(rollout.trajectory, returns),
    }
  }),
}
