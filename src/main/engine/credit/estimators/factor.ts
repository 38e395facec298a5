/** TD credit for each action, allocated over its tokens by what a teacher with feedback would have said instead. */
import { eachRollout, type Method } from './method.ts'
import { overTokens, splitByTurn, turnRewards } from './placement.ts'
import { actionNumbers, ending, turnOpenings } from './recorded.ts'

/** `c_k = r_k + V_{k+1} − V_k`; the sum telescopes to `Σr + V_end − V_0`. @param after V after the last action */
export function actionCredits(rewards: readonly number[], values: readonly number[], after: number): number[] {
  return rewards.map((reward, k) => reward + (values[k + 1] ?? after) - values[k]!)
}

/**
 * `w_j = n · softmax_j(sign(c)·gap_j / τ)`: mean 1 and never negative, so that the credit keeps its mean and its sign.
 * @param gaps teacher less student log-probability of each token, in nats
 */
export function tokenWeights(credit: number, gaps: readonly number[], tau: number): number[] {
  const scores = gaps.map((gap) => (Math.sign(credit) * gap) / tau)
  const most = scores.reduce((a, b) => Math.max(a, b), -Infinity)
  const parts = scores.map((score) => Math.exp(score - most))
  const total = parts.reduce((sum, part) => sum + part, 0)
  return parts.map((part) => (gaps.length * part) / total)
}

/** `1/K Σ_k 1/n_k Σ_j ρ_{k,j} A_{k,j}`: the mean over actions of each action's token mean. */
export function actionMeanSurrogate(credits: readonly (readonly number[])[], ratios: readonly (readonly number[])[]) {
  const perAction = credits.map((own, k) => own.reduce((sum, c, j) => sum + c * ratios[k]![j]!, 0) / own.length)
  const total = perAction.reduce((sum, value) => sum + value, 0)
  return { perAction, surrogate: perAction.length === 0 ? 0 : total / perAction.length }
}

export const factor: Method = {
  name: 'factor',
  formula:
    'A_{k,j} = c_k w_{k,j};  c_k = r_k + V_{k+1} − V_k;  w_{k,j} = n_k softmax_j(sign(c_k)(log π_T − log π)_{k,j} / τ)',
  step: 'one assistant turn with the observations after it; γ is 1',
  reads: 'step',
  needs: [
    'values (assistant; the first number of a turn)',
    'logprobs (assistant)',
    'teacher_logprobs (assistant; of a teacher that has seen the feedback)',
    'bootstrap_value (where not terminated)',
  ],
  settings: ['tau'],
  conventions: { reduction: 'meant for the action mean 1/K Σ 1/n_k Σ', values: 'taken as given, not recalibrated' },
  source: 'FACTOR',
  cannotClaim: 'more inside an action than the teacher knows; between actions no more than the critic knows',
  estimate: eachRollout((rollout, { tau }) => {
    const { trajectory } = rollout
    const values = turnOpenings(rollout, 'values', 'factor')
    const rewards = turnRewards(rollout)
    const student = actionNumbers(rollout, 'logprobs', 'factor')
    const teacher = actionNumbers(rollout, 'teacher_logprobs', 'factor')
    const gaps = splitByTurn(
      trajectory,
      teacher.map((value, t) => value - student[t]!),
    )
    const credits = actionCredits(rewards, values, ending(rollout, 'factor').value)
    const weights = credits.map((credit, k) => tokenWeights(credit, gaps[k]!, tau))
    const targets = credits.map((credit, k) => credit + values[k]!)
    const perAction = weights.map((own, k) => own.map((weight) => credits[k]! * weight))
    const { surrogate } = actionMeanSurrogate(
      perAction,
      perAction.map((own) => own.map(() => 1)),
    )
    return {
      advantages: perAction.flat(),
      returns: overTokens(trajectory, targets),
      perToken: { action_credit: overTokens(trajectory, credits), weight: weights.flat() },
      facts: {
        trajectory_advantage: credits.reduce((sum, credit) => sum + credit, 0),
        /** Before clipping, at the policy that sampled: every ratio is 1. */
        surrogate,
      },
    }
  }),
}
