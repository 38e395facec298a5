/** What of the end still reaches the first action, as the rollout grows longer. */

import { mean } from '../../study/statistics.ts'
import type { CreditedRollout, Estimate } from '../estimators/estimate.ts'
import { actionTurns } from '../estimators/recorded.ts'
import { type Check, short } from './check.ts'

/** Below this the first action hears nothing of the end. */
const faint = 0.01

/** Steps of a rollout at the method's own time scale. */
function stepsOf({ method }: Estimate, { trajectory, places }: CreditedRollout): number {
  return method.step?.startsWith('one assistant turn') ? actionTurns(trajectory).length : places.length
}

/** Weight of the last residual in the first advantage: the product of what every step between them keeps. */
function weightOfEnd(estimate: Estimate, rollout: CreditedRollout): number {
  const { gamma = 1, lambda = 1 } = estimate.parameters as { readonly gamma?: number; readonly lambda?: number }
  const kept = estimate.method.name === 'td' ? 0 : gamma * lambda
  const steps = Math.max(0, stepsOf(estimate, rollout) - 1)
  const gates = rollout.credit.perToken?.gate
  if (estimate.method.name !== 'comp-gae' || gates === undefined) return kept ** steps
  return gates.slice(0, steps).reduce((product, gate) => product * gate * lambda, 1)
}

/** Mean |A| over the first tenth of the action tokens, against the last tenth. */
function earlyToLate({ credit: { advantages } }: CreditedRollout): number | null {
  const tenth = Math.max(1, Math.floor(advantages.length / 10))
  const size = (list: readonly number[]) => mean(list.map(Math.abs))
  const late = size(advantages.slice(-tenth))
  return late === 0 ? null : size(advantages.slice(0, tenth)) / late
}

export const horizonDecay: Check = ({ estimate }) => {
  const id = 'horizon-decay'
  const rollouts = estimate.rollouts
    .filter(({ credit }) => credit.advantages.length > 1)
    .sort((a, b) => stepsOf(estimate, a) - stepsOf(estimate, b))
  const longest = rollouts.at(-1)
  if (longest === undefined) {
    return { id, status: 'skipped', figure: null, detail: 'no graded rollout has two actions' }
  }
  const ratios = (part: readonly CreditedRollout[]) => {
    const found = part.map(earlyToLate).filter((value) => value !== null)
    return found.length === 0 ? null : mean(found)
  }
  const quarter = Math.max(1, Math.floor(rollouts.length / 4))
  const data = {
    longest_rollout: longest.trajectory.id,
    longest_steps: stepsOf(estimate, longest),
    weight_of_end_at_start: weightOfEnd(estimate, longest),
    early_to_late_shortest_quarter: ratios(rollouts.slice(0, quarter)),
    early_to_late_longest_quarter: ratios(rollouts.slice(-quarter)),
  }
  const weight = data.weight_of_end_at_start
  const measured = (value: number | null) => (value === null ? 'none' : short(value))
  const words = `in the longest rollout (${data.longest_rollout}, ${data.longest_steps} steps) the end reaches the first action times ${short(weight)}; |A| early to late: ${measured(data.early_to_late_shortest_quarter)} in the shortest quarter, ${measured(data.early_to_late_longest_quarter)} in the longest`
  const status = weight < faint ? 'warning' : 'ok'
  const more = status === 'ok' ? '' : '; raise γ or λ, or take turns as steps'
  return { id, status, figure: weight, detail: `${words}${more}`, data }
}
