/** Credit at two levels: GAE over options for the choice of a sub-goal, and GAE inside each for carrying it out. */
import { advantageTrace, type ChainEnd, chainOf, type Trace } from './advantage-trace.ts'
import { chainAdvantage } from './gae.ts'
import { eachRollout, type Method } from './method.ts'
import { actionRewards, runsOf, splitByTurn } from './placement.ts'
import { actionNumbers, actionTurns, ending, turnField } from './recorded.ts'

/** The low-level steps of one option, in order. */
export interface OptionSteps {
  readonly rewards: readonly number[]
  readonly values: readonly number[]
}

/**
 *     R_k = Σ_{j<n_k} γ^j r_{k,j}
 *     δ_k = R_k + γ^{n_k} V(h_{k+1}) − V(h_k),   A_H(k) = δ_k + γ^{n_k} λ A_H(k+1)
 *
 * V(h_k) is the value of the option's first step. Sutton, Precup and Singh 1999 (options as semi-Markov decisions).
 */
export function optionAdvantages(options: readonly OptionSteps[], end: ChainEnd, gamma: number, lambda: number): Trace {
  const rewards = options.map(({ rewards }) => rewards.reduce((sum, reward, j) => sum + gamma ** j * reward, 0))
  const steps = chainOf(
    rewards,
    options.map(({ values }) => values[0]!),
    end,
  )
  return advantageTrace(
    steps,
    options.map((option) => gamma ** option.rewards.length),
    lambda,
  )
}

/** GAE inside each option, with the value of the next option's first step as bootstrap; no trace leaves an option. */
export function insideOptions(options: readonly OptionSteps[], end: ChainEnd, gamma: number, lambda: number): Trace[] {
  return options.map(({ rewards, values }, k) => {
    const next = options[k + 1]
    const own = next === undefined ? end : { terminal: false, value: next.values[0]! }
    return chainAdvantage(rewards, values, own, gamma, lambda)
  })
}

export const option: Method = {
  name: 'option',
  formula:
    'high: A_H(k) = δ_k + γ^(n_k)λA_H(k+1), δ_k = R_k + γ^(n_k)V(h_{k+1}) − V(h_k);  low: GAE inside option k, bootstrap V(h_{k+1})',
  step: 'one action token inside an option; an option of n tokens is n steps',
  reads: 'step',
  needs: ['values (assistant)', 'option (assistant)', 'bootstrap_value (where not terminated)'],
  settings: ['gamma', 'lambda'],
  conventions: {
    advantage: 'of the low level; option_advantage is of the high level; they are never added',
    option: 'consecutive assistant turns with the same number',
    high_level_value: "the value of the option's first token",
    whitening: 'none',
  },
  source: 'Sutton, Precup and Singh 1999',
  cannotClaim: 'that the boundaries are right or the sub-goals reached: both are taken from the file',
  estimate: eachRollout((rollout, { gamma, lambda }) => {
    const numbers = turnField(rollout, 'option', 'option')
    const values = splitByTurn(rollout.trajectory, actionNumbers(rollout, 'values', 'option'))
    const rewards = splitByTurn(rollout.trajectory, actionRewards(rollout))
    const turns = actionTurns(rollout.trajectory)
    const options = runsOf(numbers).map((run) => ({
      number: numbers[run[0]!]!,
      firstTurn: turns[run[0]!]!.at,
      rewards: run.flatMap((k) => rewards[k]!),
      values: run.flatMap((k) => values[k]!),
    }))
    const end = ending(rollout, 'option')
    const high = optionAdvantages(options, end, gamma, lambda)
    const low = insideOptions(options, end, gamma, lambda)
    return {
      advantages: low.flatMap(({ advantages }) => advantages),
      returns: low.flatMap(({ returns }) => returns),
      perToken: { option_advantage: options.flatMap(({ rewards }, k) => rewards.map(() => high.advantages[k]!)) },
      facts: {
        options: options.map(({ number, firstTurn, rewards }, k) => ({
          option: number,
          turn: firstTurn,
          tokens: rewards.length,
          advantage: high.advantages[k]!,
          return: high.returns[k]!,
        })),
      },
    }
  }),
}
