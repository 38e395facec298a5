/** The eight diagnostics on stored trajectories, as plain data. */
import type { CreditDiagnosis } from '../../../shared/credit-estimates.ts'
import type { Trajectory } from '../../../shared/trajectory.ts'
import { diagnose, usualMethod } from '../../engine/credit/diagnose/diagnose.ts'
import type { Method } from '../../engine/credit/estimators/method.ts'
import type { GivenSettings } from '../../engine/credit/estimators/settings.ts'

/**
 * @param method null: along the actions with a critic where the file has one, else the outcome against its group
 * @throws BadInput naming the row and the field that the method misses
 */
export function creditDiagnosis(
  trajectories: readonly Trajectory[],
  method: Method | null,
  given: GivenSettings,
  file: string,
): CreditDiagnosis {
  const usual = method === null ? usualMethod(trajectories) : { method, given: {} }
  const { estimate, checks } = diagnose(trajectories, usual.method, { ...usual.given, ...given }, file)
  return {
    method: estimate.method.name,
    parameters: estimate.parameters,
    rollouts: trajectories.length,
    checks,
  }
}
