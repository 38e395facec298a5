/** The outcome less a baseline, the same for every token of the rollout: no credit inside a response. */
import { groupNormalised, leaveOneOut, meanCentred } from './baselines.ts'
import type { Method, Rollout } from './method.ts'
import { actionTurns, trajectoryNumber } from './recorded.ts'
import type { Settings } from './settings.ts'

/** Advantage of each rollout of a group, by the chosen baseline. */
export function outcomeAdvantages(group: readonly Rollout[], settings: Settings, method: string): number[] {
  const outcomes = group.map(({ outcome }) => outcome)
  switch (settings.baseline) {
    case 'none':
      return outcomes
    case 'rloo':
      return leaveOneOut(outcomes)
    case 'grpo-mean':
      return meanCentred(outcomes)
    case 'grpo':
      return groupNormalised(outcomes, settings.std_ddof === 0 ? 0 : 1, settings.epsilon)
    case 'greedy':
      return group.map((rollout) => {
        return rollout.outcome - trajectoryNumber(rollout, 'greedy_reward', `${method} with baseline greedy`)
      })
  }
}

/**
 * Factor of ∇ log π at every token of response i of G. `token_sum`, A_i/G, is the gradient of the expected outcome;
 * `token_mean`, A_i/(G·T_i), weighs responses by 1/length and is another objective.
 */
export function broadcastCoefficients(advantages: readonly number[], lengths: readonly number[]) {
  const size = advantages.length
  return {
    token_sum: advantages.map((advantage) => advantage / size),
    token_mean: advantages.map((advantage, i) => (lengths[i] === 0 ? 0 : advantage / (size * lengths[i]!))),
  }
}

export const monteCarlo: Method = {
  name: 'monte-carlo',
  formula:
    'A_t = R − b;  b: none 0 | rloo mean of the others | grpo-mean mean(R) | grpo mean(R), ÷ (std + ε) | greedy R(greedy)',
  step: null,
  reads: 'outcome',
  needs: ['greedy_reward (baseline greedy)'],
  settings: ['baseline', 'std_ddof', 'epsilon'],
  conventions: {
    group_of_one: 'rloo, grpo-mean and grpo give 0',
    coefficient: 'token_sum A/G is the sequence gradient; token_mean A/(G·T) weighs by 1/length',
  },
  source: 'Williams 1992; leave-one-out: Kool et al. 2019, Ahmadian et al. 2024; group normalisation: Shao et al. 2024',
  cannotClaim:
    'which token mattered: every token of a rollout gets the same. A mean that holds the own reward is a scaled RLOO; dividing by a random std also reweighs prompts.',
  estimate: (group, settings) => {
    const advantages = outcomeAdvantages(group, settings, 'monte-carlo')
    const lengths = group.map(({ trajectory }) => actionTurns(trajectory).reduce((sum, { tokens }) => sum + tokens, 0))
    const { token_sum, token_mean } = broadcastCoefficients(advantages, lengths)
    return group.map(({ outcome }, i) => ({
      advantages: Array<number>(lengths[i]!).fill(advantages[i]!),
      returns: Array<number>(lengths[i]!).fill(outcome),
      facts: { coefficient: { token_sum: token_sum[i]!, token_mean: token_mean[i]! } },
    }))
  },
}
