/** Runs one estimator over a file's trajectories, group by group, and states everything that the numbers rest on. */
import { BadInput } from '../../../../shared/bad-input.ts'
import type { Absence, SpreadByScale } from '../../../../shared/credit-estimates.ts'
import type { Trajectory } from '../../../../shared/trajectory.ts'
import type { TokenPlace } from '../trained-row.ts'
import { actionPlaces } from '../trained-row.ts'
import type { Method, Rollout, RolloutCredit } from './method.ts'
import { hasStepRewards } from './placement.ts'
import { requireActionIds } from './recorded.ts'
import { type GivenSettings, resolveSettings, type Settings } from './settings.ts'
import { advantageSpread } from './spread.ts'

export interface CreditedRollout {
  readonly trajectory: Trajectory
  /** Null where the rollout counts. */
  readonly absence: Absence | null
  /** Of the action tokens, in order; empty where the rollout is absent. */
  readonly places: readonly TokenPlace[]
  readonly credit: RolloutCredit
}

export interface Estimate {
  readonly method: Method
  readonly parameters: Readonly<Record<string, unknown>>
  readonly conventions: Readonly<Record<string, string | number>>
  /** In the order of the file. */
  readonly rollouts: readonly CreditedRollout[]
  readonly summary: SpreadByScale
  /** What a reader would otherwise be surprised by. */
  readonly notes: readonly string[]
}

const nothing: RolloutCredit = { advantages: [], returns: [] }

/** Null where the grade says something about the policy. */
export function absenceOf({ reward, end }: Trajectory): Absence | null {
  if (end === 'environment_failure') return 'environment_failure'
  return reward === null ? 'abstained' : null
}

/** @throws BadInput naming the flag that is out of range, or the row and field that the method misses */
export function estimate(
  method: Method,
  trajectories: readonly Trajectory[],
  given: GivenSettings,
  file: string,
): Estimate {
  const settings = resolveSettings(given, method.defaults)
  const credits = new Map<string, RolloutCredit>()
  for (const group of gradedGroups(trajectories, file).values()) {
    for (const rollout of group) requireActionIds(rollout, method.name)
    const credit = method.estimate(group, settings)
    group.forEach(({ trajectory }, i) => {
      requireFinite(credit[i]!, method, settings, trajectory.id, file)
      credits.set(trajectory.id, credit[i]!)
    })
  }
  const rollouts = trajectories.map((trajectory): CreditedRollout => {
    const credit = credits.get(trajectory.id)
    if (credit === undefined) return { trajectory, absence: absenceOf(trajectory), places: [], credit: nothing }
    return { trajectory, absence: null, places: actionPlaces(trajectory), credit }
  })
  return {
    method,
    parameters: parametersOf(method, settings),
    conventions: conventionsOf(method),
    rollouts,
    summary: advantageSpread(rollouts.map(({ trajectory, credit }) => ({ trajectory, advantages: credit.advantages }))),
    notes: notesOf(method, rollouts),
  }
}

/** Beyond it a square is no longer finite, and neither are deviations. */
const largestCredit = 1e150

/** Fields are bounded where they are read; settings can still take an estimator out of the range of a double. */
function requireFinite(credit: RolloutCredit, method: Method, settings: Settings, id: string, file: string): void {
  const { advantages, returns, perToken = {}, facts = {} } = credit
  const lists = { advantages, returns, ...perToken }
  const sound = (value: unknown) => typeof value !== 'number' || Math.abs(value) <= largestCredit
  const wrong =
    Object.entries(lists).find(([, list]) => !list.every(sound)) ??
    Object.entries(facts).find(([, fact]) => !sound(fact))
  if (wrong === undefined) return
  const given = method.settings.map((name) => `${name.replaceAll('_', ' ')} ${settings[name]}`)
  throw new BadInput(
    file,
    `${method.name} gives ${wrong[0].replaceAll('_', ' ')} that are no finite numbers${given.length === 0 ? '' : ` with ${given.join(', ')}; take settings nearer to 1`}`,
    `row ${id}`,
  )
}

/** Rollouts that count, by group, both in the order of the file. */
export function gradedGroups(trajectories: readonly Trajectory[], file: string): Map<string, Rollout[]> {
  const groups = new Map<string, Rollout[]>()
  for (const trajectory of trajectories) {
    if (absenceOf(trajectory) !== null || trajectory.reward === null) continue
    const group = groups.get(trajectory.group) ?? []
    group.push({ trajectory, outcome: trajectory.reward, file })
    groups.set(trajectory.group, group)
  }
  return groups
}

function parametersOf(method: Method, settings: Settings): Record<string, unknown> {
  if (method.parameters !== undefined) return { ...method.parameters(settings) }
  const grouped = settings.baseline === 'grpo' || !method.settings.includes('baseline')
  return Object.fromEntries(
    method.settings
      .filter((name) => grouped || (name !== 'std_ddof' && name !== 'epsilon'))
      .map((name) => [name, settings[name]]),
  )
}

function conventionsOf(method: Method): Record<string, string | number> {
  return {
    ...(method.step !== null && { step: method.step }),
    ...method.conventions,
    summary: 'a unit counts with the mean over its action tokens; std is that of the population (ddof 0)',
  }
}

function notesOf({ reads }: Method, rollouts: readonly CreditedRollout[]): string[] {
  const notes: string[] = []
  const absent = rollouts.filter(({ absence }) => absence !== null).length
  if (absent > 0) notes.push(`not graded, so counted nowhere: ${absent} of ${rollouts.length} rollouts`)
  if (reads !== 'step' && reads !== 'both') return notes
  const graded = rollouts.filter(({ absence }) => absence === null)
  const stepped = graded.filter(({ trajectory }) => hasStepRewards(trajectory))
  if (stepped.length > 0 && stepped.length < graded.length) {
    notes.push(
      `${stepped.length} of ${graded.length} rollouts have step rewards, the others their outcome at the last action`,
    )
  }
  const silent = stepped.filter(
    ({ trajectory }) =>
      trajectory.reward !== 0 &&
      trajectory.turns.every(({ reward, rewards }) => !reward && !rewards?.some((value) => value !== 0)),
  )
  if (silent.length > 0) {
    notes.push(
      `in ${silent.length} rollouts (first ${silent[0]!.trajectory.id}) every recorded step reward is 0, so the outcome is not used; leave step rewards out to have it placed`,
    )
  }
  return notes
}
