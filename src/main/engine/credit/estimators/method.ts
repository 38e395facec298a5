/** What an estimator is: a formula, what it needs, and a function from the rollouts of one group to credit a token. */
import type { Trajectory } from '../../../../shared/trajectory.ts'
import type { GivenSettings, SettingName, Settings } from './settings.ts'

/** A graded rollout. Abstentions never reach a method: they take part in no mean and no count. */
export interface Rollout {
  readonly trajectory: Trajectory
  readonly outcome: number
  /** As messages name where the row came from. */
  readonly file: string
}

/** One number per action token, in order. */
export interface RolloutCredit {
  readonly advantages: readonly number[]
  /** The target that the method compares with its baseline; each method says which. */
  readonly returns: readonly number[]
  /** Further numbers per action token, by name. */
  readonly perToken?: Readonly<Record<string, readonly number[]>>
  /** Numbers of the whole rollout, by name. */
  readonly facts?: Readonly<Record<string, unknown>>
}

export interface Method {
  readonly name: string
  /** In plain characters; one line. */
  readonly formula: string
  /** What one step of γ and λ is; null where neither is read. */
  readonly step: string | null
  /** Which rewards: those of steps (the outcome where none are recorded), the outcome, both, or none. */
  readonly reads: 'step' | 'outcome' | 'both' | 'none'
  /** Fields of the trajectory file beyond ids and outcome, with the turns they are needed in. */
  readonly needs: readonly string[]
  readonly settings: readonly SettingName[]
  readonly defaults?: GivenSettings
  /** Choices that other implementations make differently, as named facts of the result. */
  readonly conventions: Readonly<Record<string, string | number>>
  readonly source: string
  readonly cannotClaim: string
  /** @throws BadInput naming the row and the field that is missing */
  readonly estimate: (group: readonly Rollout[], settings: Settings) => RolloutCredit[]
  /** Where what was used differs from the plain settings. */
  readonly parameters?: (settings: Settings) => Readonly<Record<string, string | number>>
}

/** For methods that read one rollout at a time. */
export function eachRollout(estimate: (rollout: Rollout, settings: Settings) => RolloutCredit): Method['estimate'] {
  return (group, settings) => group.map((rollout) => estimate(rollout, settings))
}
