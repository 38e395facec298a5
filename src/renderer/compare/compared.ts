/** Runs laid side by side: settings that differ, measures by their figures, seeds of one setting as mean and spread. */
import { mean, standardDeviation } from '../../main/engine/study/statistics.ts'
import type { LinePoint } from '../../main/report/svg/chart.ts'
import type { RunView } from '../../shared/ipc.ts'
import { type Measure, measuresOf } from '../run/measures.ts'

export interface DifferingSetting {
  readonly name: string
  /** One a run; undefined where it has no such setting. */
  readonly values: readonly unknown[]
}

/** Facts that are no settings but decide a run all the same stand first. */
export function differingSettings(views: readonly RunView[]): DifferingSetting[] {
  const facts: readonly (readonly [string, (view: RunView) => unknown])[] = [
    ['stage', ({ run }) => run.stage],
    ['base model', ({ run }) => run.base_sha256?.slice(0, 12)],
    ['device', ({ run }) => run.device],
    ['threads', ({ run }) => run.threads],
    ['code version', ({ run }) => run.code_version],
    ['training data', ({ run }) => (run.data_sha256.train ?? run.data_sha256.prompts)?.slice(0, 12)],
  ]
  const names = [...new Set(views.flatMap(({ run }) => Object.keys(run.config)))].sort()
  return [
    ...facts.map(([name, of]) => ({ name, values: views.map(of) })),
    ...names.map((name) => ({ name, values: views.map(({ run }) => run.config[name]) })),
  ].filter(({ values }) => new Set(values.map((value) => JSON.stringify(value))).size > 1)
}

export interface Figures {
  readonly last: number | null
  readonly min: number | null
  readonly max: number | null
  /** At the asked step, or the last recorded before it. */
  readonly atStep: number | null
}

export function figuresOf(points: readonly LinePoint[], step: number | null): Figures {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let [last, atStep]: [number | null, number | null] = [null, null]
  for (const { x, y } of points) {
    if (y === null || !Number.isFinite(y)) continue
    last = y
    if (step !== null && x <= step) atStep = y
    if (y < min) min = y
    if (y > max) max = y
  }
  return { last, min: last === null ? null : min, max: last === null ? null : max, atStep }
}

/** Measures that at least one of the runs recorded, each with the runs' series in their order. */
export interface ComparedMeasure {
  readonly id: string
  readonly name: string
  readonly series: readonly (Measure | undefined)[]
}

export function comparedMeasures(views: readonly RunView[]): ComparedMeasure[] {
  const all = views.map(measuresOf)
  const names = new Map<string, string>()
  for (const measures of all) {
    for (const { id, name, points } of measures) {
      if (points.some(({ y }) => y !== null)) names.set(id, name)
    }
  }
  return [...names].map(([id, name]) => ({
    id,
    name,
    series: all.map((measures) => measures.find((one) => one.id === id && one.points.some(({ y }) => y !== null))),
  }))
}

/** Runs that differ in nothing but their seed, where there are at least two of them. */
export interface SeedGroup {
  readonly runs: readonly number[]
  readonly seeds: readonly number[]
}

export function seedGroups(views: readonly RunView[]): SeedGroup[] {
  const groups = new Map<string, number[]>()
  views.forEach(({ run, preset }, index) => {
    const { seed: _seed, ...rest } = run.config
    const key = JSON.stringify([
      preset,
      run.stage,
      run.base_sha256,
      Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)),
    ])
    groups.set(key, [...(groups.get(key) ?? []), index])
  })
  return [...groups.values()].flatMap((runs) => {
    const seeds = runs.map((index) => Number(views[index]!.run.config.seed))
    return new Set(seeds).size > 1 ? [{ runs, seeds }] : []
  })
}

export interface Spread {
  readonly mean: number
  /** Sample standard deviation, n - 1. */
  readonly sd: number
  readonly n: number
}

/** Null where fewer than two are finite. */
export function spreadOf(values: readonly (number | null)[]): Spread | null {
  const finite = values.filter((value): value is number => value !== null && Number.isFinite(value))
  if (finite.length < 2) return null
  return { mean: mean(finite), sd: standardDeviation(finite, 1), n: finite.length }
}

/** What is compared first, by stage. */
export const headlineMeasures: ReadonlySet<string> = new Set([
  'learned-reward',
  'reward',
  'rubric',
  'log-ratio',
  'length',
  'loss',
  'validation-loss',
  'accuracy',
  'grad-norm',
])
