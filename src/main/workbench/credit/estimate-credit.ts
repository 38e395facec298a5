/** One estimator over stored trajectories, as the plain data that the command line prints and the window draws. */
import type { CreditEstimate, RolloutEstimate, TokenCredit } from '../../../shared/credit-estimates.ts'
import type { Trajectory } from '../../../shared/trajectory.ts'
import { type CreditedRollout, type Estimate, estimate } from '../../engine/credit/estimators/estimate.ts'
import type { Method } from '../../engine/credit/estimators/method.ts'
import type { GivenSettings } from '../../engine/credit/estimators/settings.ts'

/** @throws BadInput naming the row and the field that the method misses */
export function creditEstimate(
  trajectories: readonly Trajectory[],
  method: Method,
  given: GivenSettings,
  file: string,
): CreditEstimate {
  return estimateData(estimate(method, trajectories, given, file))
}

export function estimateData({ method, parameters, conventions, rollouts, summary, notes }: Estimate): CreditEstimate {
  return {
    method: method.name,
    parameters,
    formula: method.formula,
    conventions,
    source: method.source,
    cannot_claim: method.cannotClaim,
    notes,
    trajectories: rollouts.map(rolloutData),
    summary,
  }
}

function rolloutData({ trajectory, absence, places, credit }: CreditedRollout): RolloutEstimate {
  const { id, group } = trajectory
  if (absence !== null) return { id, group, abstained: true, absence, tokens: [] }
  const more = Object.entries(credit.perToken ?? {})
  const tokens = places.map(
    ({ turn, index }, t): TokenCredit => ({
      turn,
      index,
      advantage: credit.advantages[t]!,
      return: credit.returns[t]!,
      ...Object.fromEntries(more.map(([name, list]) => [name, list[t]!])),
    }),
  )
  return { id, group, ...credit.facts, tokens }
}
