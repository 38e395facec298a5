/** The eight diagnostics of credit assignment, on one trajectory file and one estimator. */
import type { Diagnosis } from '../../../../shared/credit-estimates.ts'
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { absenceOf, type Estimate, estimate } from '../estimators/estimate.ts'
import type { Method } from '../estimators/method.ts'
import { actionTurns } from '../estimators/recorded.ts'
import { methodNamed } from '../estimators/registry.ts'
import type { GivenSettings } from '../estimators/settings.ts'
import { advantageScales } from './advantage-scales.ts'
import type { Check } from './check.ts'
import { confidentWrong } from './confident-wrong.ts'
import { doubleCounting } from './double-counting.ts'
import { endings } from './endings.ts'
import { handComputed } from './hand-computed.ts'
import { horizonDecay } from './horizon-decay.ts'
import { observationPerturbation } from './observation-perturbation.ts'
import { processRewardOff } from './process-reward-off.ts'

const checks: readonly Check[] = [
  handComputed,
  endings,
  observationPerturbation,
  advantageScales,
  horizonDecay,
  processRewardOff,
  confidentWrong,
  doubleCounting,
]

/** @throws BadInput where the estimator misses a field */
export function diagnose(
  trajectories: readonly Trajectory[],
  method: Method,
  given: GivenSettings,
  file: string,
): { readonly estimate: Estimate; readonly checks: Diagnosis[] } {
  const examined = { file, trajectories, given, estimate: estimate(method, trajectories, given, file) }
  return { estimate: examined.estimate, checks: checks.map((check) => check(examined)) }
}

/** GAE along the actions where every graded action turn has values and every cut a bootstrap, else the outcome alone. */
export function usualMethod(trajectories: readonly Trajectory[]): { method: Method; given: GivenSettings } {
  const graded = trajectories.filter((row) => absenceOf(row) === null)
  const valued = graded.every(
    (row) =>
      (row.terminated || row.bootstrap_value !== undefined) &&
      actionTurns(row).every(({ turn }) => turn.values !== undefined),
  )
  if (valued && graded.length > 0) return { method: methodNamed('gae-skip-observation', 'method'), given: {} }
  return { method: methodNamed('monte-carlo', 'method'), given: { baseline: 'grpo' } }
}
