/** Axes of the screen's charts: the same extents, ticks and labels as the report's. */
import { tickLabel } from '../../main/report/number-text.ts'
import type { LineChart } from '../../main/report/svg/chart.ts'
import { linearScale } from '../../main/report/svg/scale.ts'

export interface Axis {
  readonly domain: readonly [number, number]
  readonly ticks: readonly number[]
  readonly label: (value: number) => string
  /** Of the longest label, in characters. */
  readonly labelLength: number
}

/** Widened where there is nothing to span: a constant is drawn flat in the middle, a lone step has room around it. */
export function extentOf(values: Iterable<number | null>): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue
    if (value < low) low = value
    if (value > high) high = value
  }
  if (low > high) return [0, 1]
  if (low < high) return [low, high]
  const margin = low === 0 ? 1 : Math.abs(low) * 0.5
  return [low - margin, high + margin]
}

export function axisOf(domain: readonly [number, number], count: number, whole: boolean, widen: boolean): Axis {
  const scale = linearScale(domain, [0, 1], { count: Math.max(2, count), whole, widen })
  const label = (value: number) => tickLabel(value, scale.step)
  return {
    domain: scale.domain,
    ticks: scale.ticks,
    label,
    labelLength: Math.max(1, ...scale.ticks.map((tick) => label(tick).length)),
  }
}

export function lineDomains(chart: LineChart): {
  readonly x: readonly [number, number]
  readonly y: readonly [number, number]
} {
  return {
    x: chart.xDomain ?? extentOf(valuesOf(chart, 'x')),
    y: withZeroAtAnEnd(extentOf(extentSource(chart)), chart),
  }
}

/** What is zero throughout and has zero for its natural end lies on the axis, not in the middle of nothing. */
function withZeroAtAnEnd(extent: readonly [number, number], chart: LineChart): readonly [number, number] {
  const zero = extent[0] === -1 && extent[1] === 1 && chart.include?.every((value) => value === 0) === true
  return zero && !hasValueBeside(chart, 0) ? [0, 1] : extent
}

function hasValueBeside(chart: LineChart, value: number): boolean {
  for (const y of extentSource(chart)) if (y !== null && Number.isFinite(y) && y !== value) return true
  return false
}

function* extentSource(chart: LineChart): Generator<number | null> {
  yield* valuesOf(chart, 'y')
  yield* chart.include ?? []
  yield* chart.levels ?? []
}

function* valuesOf(chart: LineChart, key: 'x' | 'y'): Generator<number | null> {
  for (const series of chart.series) for (const point of series.points) yield point[key]
}
