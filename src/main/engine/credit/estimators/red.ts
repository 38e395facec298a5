/** Reward redistribution: each token is paid what it changed in the reward model's score of the response so far. */
import { eachRollout, type Method, type Rollout } from './method.ts'
import { ontoSteps } from './placement.ts'
import { actionNumbers, trajectoryNumber } from './recorded.ts'
import { rewardToGo } from './reward-to-go.ts'

/** `r_t = s_t − s_{t−1}`; the sum telescopes to `s_T − s_0`. @param base s_0, the score of no response at all */
export function scoreDifferences(scores: readonly number[], base: number): number[] {
  return scores.map((score, t) => score - (t === 0 ? base : scores[t - 1]!))
}

/** Scores after action tokens, and after observation tokens where they are recorded, with what is an action. */
function scoresOf({ trajectory }: Rollout): { scores: number[]; actions: boolean[] } {
  const scores: number[] = []
  const actions: boolean[] = []
  for (const { role, prefix_scores } of trajectory.turns) {
    if (actions.length === 0 && role !== 'assistant') continue
    for (const score of prefix_scores ?? []) {
      scores.push(score)
      actions.push(role === 'assistant')
    }
  }
  return { scores, actions }
}

export const red: Method = {
  name: 'red',
  formula: 'A_t = r_t = s_t − s_{t−1};  s_t = RM(x, y_≤t), s_0 = RM(x, ∅);  Σ r_t = RM(x, y) − RM(x, ∅)',
  step: 'one action token; observations take no step',
  reads: 'none',
  needs: ['prefix_scores (assistant)', 'base_score'],
  settings: ['gamma'],
  conventions: {
    return: 'Σ_{k≥t} γ^(k−t) r_k',
    observations: 'what a scored observation changes belongs to the action before it; unscored, to the action after it',
    outcome: 'not read',
  },
  source: 'RED (reward redistribution)',
  cannotClaim: 'that the reward model means anything on half a response: it was trained on whole ones',
  estimate: eachRollout((rollout, { gamma }) => {
    actionNumbers(rollout, 'prefix_scores', 'red')
    const { scores, actions } = scoresOf(rollout)
    const rewards = ontoSteps(scoreDifferences(scores, trajectoryNumber(rollout, 'base_score', 'red')), actions)
    return { advantages: rewards, returns: rewardToGo(rewards, gamma) }
  }),
}
