/** What a diagnostic is given and gives. Reads trajectories, never a model. */
import type { Diagnosis } from '../../../../shared/credit-estimates.ts'
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { type Estimate, estimate } from '../estimators/estimate.ts'
import type { Method } from '../estimators/method.ts'
import type { GivenSettings } from '../estimators/settings.ts'

export interface Examined {
  readonly file: string
  readonly trajectories: readonly Trajectory[]
  /** The estimate that is diagnosed. */
  readonly estimate: Estimate
  readonly given: GivenSettings
}
export type Check = (examined: Examined) => Diagnosis

/** The same question asked of other rows. */
export function again({ given, file }: Examined, method: Method, trajectories: readonly Trajectory[]): Estimate {
  return estimate(method, trajectories, given, file)
}

export function advantagesOf({ rollouts }: Estimate): number[] {
  return rollouts.flatMap(({ credit }) => credit.advantages)
}

/** A short number for a sentence. */
export function short(value: number): string {
  return String(Number(value.toPrecision(3)))
}

export function first(ids: readonly string[], count = 3): string {
  return `${ids.slice(0, count).join(', ')}${ids.length > count ? `, … ${ids.length} in all` : ''}`
}
