/** Group-in-group advantages: rollouts compared with each other, and steps compared where they left the same state. */
import { mean, standardDeviation } from '../../study/statistics.ts'
import { allEqual } from './baselines.ts'
import type { Method, Rollout } from './method.ts'
import { overTokens, turnRewards } from './placement.ts'
import { turnField } from './recorded.ts'
import { rewardToGo } from './reward-to-go.ts'
import type { Normalisation } from './settings.ts'

/** Beside the standard deviation (ddof 1), as in the authors' code. */
const epsilon = 1e-6

function deviations(values: readonly number[], normalise: Normalisation): number[] {
  if (allEqual(values)) return values.map(() => 0)
  const centre = mean(values)
  const scale = normalise === 'mean' ? 1 : standardDeviation(values, 1) + epsilon
  return values.map((value) => (value - centre) / scale)
}

/** A^E. A rollout alone in its group keeps its raw outcome (mean 0, deviation 1). */
export function episodeAdvantages(outcomes: readonly number[], normalise: Normalisation): number[] {
  if (outcomes.length === 1) return normalise === 'mean' ? [...outcomes] : outcomes.map((r) => r / (1 + epsilon))
  return deviations(outcomes, normalise)
}

/**
 * A^S: the return of each step among the steps of the group taken in the same state; a step alone in its state gives 0.
 * @param returns a list a rollout; `anchors` names the state of each step
 */
export function stepAdvantages(
  returns: readonly (readonly number[])[],
  anchors: readonly (readonly string[])[],
  normalise: Normalisation,
): number[][] {
  const sets = new Map<string, { at: [number, number][]; values: number[] }>()
  returns.forEach((row, i) => {
    row.forEach((value, k) => {
      const key = anchors[i]![k]!
      const set = sets.get(key) ?? { at: [], values: [] }
      set.at.push([i, k])
      set.values.push(value)
      sets.set(key, set)
    })
  })
  const advantages = returns.map((row) => row.map(() => 0))
  for (const { at, values } of sets.values()) {
    deviations(values, normalise).forEach((value, n) => {
      const [i, k] = at[n]!
      advantages[i]![k] = value
    })
  }
  return advantages
}

/** The parts of both levels, a list of steps a rollout; also what GACA mixes. */
export function groupInGroup(
  group: readonly Rollout[],
  { gamma, normalize }: { readonly gamma: number; readonly normalize: Normalisation },
  method: string,
): { episode: number[]; step: number[][]; returns: number[][] } {
  const anchors = group.map((rollout) => turnField(rollout, 'state_key', method))
  const returns = group.map((rollout) => rewardToGo(turnRewards(rollout), gamma))
  const outcomes = group.map(({ outcome }) => outcome)
  return {
    episode: episodeAdvantages(outcomes, normalize),
    step: stepAdvantages(returns, anchors, normalize),
    returns,
  }
}

export const gigpo: Method = {
  name: 'gigpo',
  formula:
    'A = A^E + ωA^S;  A^E: outcome less group mean;  A^S: Σ γ^(j−k)r_j less its mean over steps in the same state; both ÷ (std + ε) with mean-std',
  step: 'one assistant turn with the observations after it',
  reads: 'both',
  needs: ['state_key (assistant)'],
  settings: ['gamma', 'omega', 'normalize'],
  conventions: {
    std_ddof: 1,
    epsilon,
    group_of_one: 'a rollout keeps its raw outcome, a step gives 0',
    episode_mean: "over rollouts; the authors' code weighs a rollout by its number of steps",
  },
  source: 'GiGPO',
  cannotClaim: 'anything at states that no other rollout visited, nor that equal keys are equal states',
  estimate: (group, settings) => {
    const { episode, step, returns } = groupInGroup(group, settings, 'gigpo')
    return group.map(({ trajectory }, i) => ({
      advantages: overTokens(
        trajectory,
        step[i]!.map((value) => episode[i]! + settings.omega * value),
      ),
      returns: overTokens(trajectory, returns[i]!),
      perToken: {
        episode_advantage: overTokens(
          trajectory,
          step[i]!.map(() => episode[i]!),
        ),
        step_advantage: overTokens(trajectory, step[i]!),
      },
    }))
  },
}
