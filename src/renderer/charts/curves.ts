/** A series as it is drawn: stretches between gaps, lone points, the moving mean, and what was left out, counted. */
import type { LinePoint, LineSeries } from '../../main/report/svg/chart.ts'
import { finiteRuns } from '../../main/report/svg/runs.ts'
import { type Drawn, joinWithinColumns, reduceToColumns } from './columns.ts'

export interface Curve {
  /** Stretches of at least two neighbours. */
  readonly raw: readonly (readonly Drawn[])[]
  /** Moving mean of each stretch; empty where nothing is smoothed. */
  readonly smoothed: readonly (readonly Drawn[])[]
  /** Finite points between gaps: no line can show them. */
  readonly lone: readonly Drawn[]
  /** Points that are there but are NaN or infinite. A point that was never measured is a gap and not counted. */
  readonly nonFinite: number
  /** Finite points, and how many of them are drawn. */
  readonly points: number
  readonly drawn: number
}

export function curveOf(series: LineSeries, domain: readonly [number, number], columns: number): Curve {
  const runs = finiteRuns(series.points)
  const long = runs.filter((run) => run.length > 1)
  const lone = runs.flatMap((run) => (run.length === 1 ? run : []))
  const reduced = (stretches: readonly (readonly Drawn[])[]) =>
    joinWithinColumns(stretches, domain, columns).map((run) => reduceToColumns(run, domain, columns))
  const raw = reduced(long)
  const seen = reduceToColumns(lone, domain, columns)
  const { smoothing } = series
  return {
    raw,
    smoothed:
      smoothing === undefined ? [] : long.map((run) => reduceToColumns(movingMean(run, smoothing), domain, columns)),
    lone: reduceToColumns(lone, domain, columns),
    nonFinite: series.points.reduce((count, { y }) => (y !== null && !Number.isFinite(y) ? count + 1 : count), 0),
    points: runs.reduce((count, run) => count + run.length, 0),
    drawn: raw.reduce((count, run) => count + run.length, 0) + seen.length,
  }
}

/**
 * Centred mean over `window` points of one stretch; near its ends over those that exist. Never across a gap. Sums run
 * forwards and backwards within blocks of one window's length and are never subtracted: a spike leaves no trace behind.
 */
export function movingMean(run: readonly Drawn[], window: number): Drawn[] {
  const reach = Math.floor((window - 1) / 2)
  const length = 2 * reach + 1
  const [forwards, backwards] = [new Float64Array(run.length), new Float64Array(run.length)]
  run.forEach(({ y }, index) => {
    forwards[index] = index % length === 0 ? y : forwards[index - 1]! + y
  })
  for (let index = run.length - 1; index >= 0; index--) {
    const last = index === run.length - 1 || index % length === length - 1
    backwards[index] = last ? run[index]!.y : backwards[index + 1]! + run[index]!.y
  }
  return run.map(({ x }, index) => {
    const [from, to] = [Math.max(0, index - reach), Math.min(run.length - 1, index + reach)]
    const sum =
      from % length === 0
        ? forwards[to]!
        : to - from + 1 === length
          ? backwards[from]! + forwards[to]!
          : run.slice(from, to + 1).reduce((total, { y }) => total + y, 0)
    return { x, y: sum / (to - from + 1) }
  })
}

/** An odd window for a series: none for short ones, about a twentieth of its points, at most 101. */
export function windowFor(points: number): number | undefined {
  if (points < 40) return undefined
  const wish = Math.min(101, Math.round(points / 20))
  return wish % 2 === 0 ? wish + 1 : Math.max(3, wish)
}

/** The point of a series whose x is nearest; null where the series has none. Points stand in order of x. */
export function nearest(points: readonly LinePoint[], x: number): LinePoint | null {
  if (points.length === 0) return null
  let [low, high] = [0, points.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (points[middle]!.x < x) low = middle + 1
    else high = middle
  }
  const [after, before] = [points[low]!, points[Math.max(0, low - 1)]!]
  return Math.abs(before.x - x) <= Math.abs(after.x - x) ? before : after
}
