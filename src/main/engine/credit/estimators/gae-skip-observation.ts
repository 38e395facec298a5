/** GAE along the chain of action tokens: however long an observation is, crossing it is one step. */
import { chainAdvantage } from './gae.ts'
import { eachRollout, type Method } from './method.ts'
import { actionRewards } from './placement.ts'
import { actionNumbers, ending } from './recorded.ts'

export const gaeSkipObservation: Method = {
  name: 'gae-skip-observation',
  formula: 'GAE over the action tokens alone: δ_j = r_j + γV(next action) − V_j;  A_j = δ_j + γλA_{j+1}',
  step: 'one action token; observations take no step',
  reads: 'step',
  needs: ['values (assistant)', 'bootstrap_value (where not terminated)'],
  settings: ['gamma', 'lambda'],
  conventions: {
    observations: 'get no advantage; their rewards belong to the action token before them',
    truncation: 'bootstraps from bootstrap_value',
    whitening: 'none',
  },
  source: 'SAO (skip-observation GAE); verl masks observations the same way',
  cannotClaim: 'credit for what the environment did between two actions: it is part of the step',
  estimate: eachRollout((rollout, { gamma, lambda }) => {
    const values = actionNumbers(rollout, 'values', 'gae-skip-observation')
    return chainAdvantage(actionRewards(rollout), values, ending(rollout, 'gae-skip-observation'), gamma, lambda)
  }),
}
