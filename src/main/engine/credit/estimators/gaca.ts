/** Granularity by uncertainty: step credit weighs more where the policy was less sure of what it did. */
import { mean, standardDeviation } from '../../study/statistics.ts'
import { allEqual } from './baselines.ts'
import { groupInGroup } from './gigpo.ts'
import type { Method } from './method.ts'
import { overTokens, splitByTurn } from './placement.ts'
import { actionNumbers } from './recorded.ts'

/** Beside the population standard deviation of the NLL. */
const epsilon = 1e-8

/** z of every step over all steps of the group; equal NLLs give 0. @param nll mean token NLL of each step, in nats */
export function criticality(nll: readonly (readonly number[])[]): number[][] {
  const all = nll.flat()
  if (allEqual(all)) return nll.map((row) => row.map(() => 0))
  const centre = mean(all)
  const scale = standardDeviation(all, 0) + epsilon
  return nll.map((row) => row.map((value) => (value - centre) / scale))
}

/** `w = clip(ω₀ + κz, 0, 1)` */
export function stepWeight(z: number, omega0: number, kappa: number): number {
  return Math.min(1, Math.max(0, omega0 + kappa * z))
}

export const gaca: Method = {
  name: 'gaca',
  formula:
    'A = (1 − w)A^E + wA^S;  w = clip(ω0 + κz, 0, 1);  z: mean token NLL of the step, standardised over the group',
  step: 'one assistant turn with the observations after it',
  reads: 'both',
  needs: ['state_key (assistant)', 'logprobs (assistant)'],
  settings: ['gamma', 'normalize', 'omega0', 'kappa'],
  conventions: {
    advantages: 'A^E and A^S as in gigpo (ddof 1, ε 1e-6)',
    nll_std_ddof: 0,
    nll_epsilon: epsilon,
    group_of_one: 'a rollout keeps its raw outcome, a step gives 0',
  },
  source: 'GACA',
  cannotClaim: 'that uncertainty is importance: the NLL is a stand-in, and the risk argument holds for small κ only',
  estimate: (group, settings) => {
    const { episode, step, returns } = groupInGroup(group, settings, 'gaca')
    const nll = group.map((rollout) => {
      return splitByTurn(rollout.trajectory, actionNumbers(rollout, 'logprobs', 'gaca')).map((own) => -mean(own))
    })
    const z = criticality(nll)
    return group.map(({ trajectory }, i) => {
      const weights = z[i]!.map((value) => stepWeight(value, settings.omega0, settings.kappa))
      const mixed = weights.map((w, k) => (1 - w) * episode[i]! + w * step[i]![k]!)
      return {
        advantages: overTokens(trajectory, mixed),
        returns: overTokens(trajectory, returns[i]!),
        perToken: { step_weight: overTokens(trajectory, weights) },
      }
    })
  },
}
