/** Curves over steps: raw values thin, their moving mean thick, gaps left open, lone points as marks. */
import type { ChartIdentity, ChartSize, LineChart, LineSeries } from './chart.ts'
import { coordinate, drawing, element, textAt } from './element.ts'
import { type Frame, frame } from './frame.ts'
import { type LegendEntry, legend } from './legend.ts'
import { marker, roleClass } from './marks.ts'
import { countNonFinite, type DrawablePoint, finiteRuns, movingMean } from './runs.ts'
import { extent } from './scale.ts'

export function drawLineChart(chart: LineChart, identity: ChartIdentity, size: ChartSize): string {
  const key = legend(chart.series.length > 1 ? legendEntries(chart) : [], 0, 0, size.width)
  const values = chart.series.flatMap((series) => series.points.map((point) => point.y))
  const xs = chart.series.flatMap((series) => series.points.map((point) => point.x))
  const levels = chart.levels ?? []
  const area = frame({
    ...size,
    top: key.height,
    xDomain: chart.xDomain ?? extent(xs),
    yDomain: extent([...values, ...(chart.include ?? []), ...levels]),
    xLabel: chart.xLabel,
    yLabel: chart.yLabel,
    xWhole: true,
    xWiden: false,
  })
  const lines = levels.map((level) => {
    const y = area.y.at(level)
    return element('line', { class: 'level', x1: area.left, y1: y, x2: area.right, y2: y })
  })
  const missing = countNonFinite(values)
  const notes = [
    missing > 0
      ? textAt(area.right - 4, area.top + 13, `${missing} non-finite, left out`, {
          anchor: 'end',
          className: 'warning',
        })
      : '',
    textAt(size.width - 14, key.height + 12, smoothingNote(chart), { anchor: 'end', className: 'note' }),
  ]
  const empty =
    values.length === 0 || values.every((value) => value === null || !Number.isFinite(value))
      ? textAt((area.left + area.right) / 2, (area.top + area.bottom) / 2, 'nothing recorded', {
          anchor: 'middle',
          className: 'note',
        })
      : ''
  return drawing(
    identity.id,
    size,
    identity.title,
    identity.description,
    key.markup,
    area.markup,
    ...lines,
    ...chart.series.map((series) => drawSeries(series, area)),
    ...notes,
    empty,
  )
}

/** How thin and bold lines are to be read; nothing where there are no thin ones. */
function smoothingNote(chart: LineChart): string {
  const window = chart.series.find((series) => series.smoothing !== undefined)?.smoothing
  return window === undefined ? '' : `thin: each value, bold: mean of ${window}`
}

function legendEntries(chart: LineChart): LegendEntry[] {
  return chart.series.map((series) => ({
    name: series.name,
    sample: (x, y) =>
      element('line', { class: curveClass(series), x1: x - 10, y1: y, x2: x + 10, y2: y }) +
      marker(series.role, x, y, 3.4),
  }))
}

function drawSeries(series: LineSeries, area: Frame): string {
  const parts: string[] = []
  for (const run of finiteRuns(series.points)) {
    const single = run.length === 1 ? run[0] : undefined
    if (single !== undefined) {
      parts.push(marker(series.role, area.x.at(single.x), area.y.at(single.y), 3))
      continue
    }
    if (series.smoothing === undefined) {
      parts.push(path(run, area, curveClass(series)), shapes(series, run, area))
    } else {
      const mean = movingMean(run, series.smoothing)
      parts.push(path(run, area, `raw ${roleClass(series.role)}`))
      parts.push(path(mean, area, curveClass(series)), shapes(series, mean, area))
    }
  }
  return element('g', {}, ...parts)
}

/** A jagged line of very many values is thin and undashed: dashes would be mistaken for the data. */
function curveClass(series: LineSeries): string {
  const dense = series.smoothing === undefined && series.points.length > 120 && series.jagged === true
  return `curve ${dense ? 'dense ' : ''}${roleClass(series.role)}`
}

/** Marks of single values stand at least so far apart. */
const apart = 12
/** Where values are denser: about so far apart, so that curves are told apart without colour. */
const sparse = 70

/** The role's shape at every value where there is room for each, else now and then. A mean's points are no values. */
function shapes(series: LineSeries, run: readonly DrawablePoint[], area: Frame): string {
  const parts: string[] = []
  const places = run.map((point) => area.x.at(point.x))
  const roomy = places.every((x, index) => index === 0 || x - (places[index - 1] ?? x) >= apart)
  const least = series.smoothing === undefined && roomy ? apart : sparse
  let last = Number.NEGATIVE_INFINITY
  for (const point of run) {
    const x = area.x.at(point.x)
    if (x - last < least) continue
    parts.push(marker(series.role, x, area.y.at(point.y), 3))
    last = x
  }
  return parts.join('')
}

function path(run: readonly DrawablePoint[], area: Frame, className: string): string {
  const d = run
    .map(
      (point, index) => `${index === 0 ? 'M' : 'L'}${coordinate(area.x.at(point.x))} ${coordinate(area.y.at(point.y))}`,
    )
    .join('')
  return element('path', { class: className, d })
}
