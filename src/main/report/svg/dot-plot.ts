/** One row a subject, its values as marks on a common axis with a zero line; intervals as capped bars. */

import { tickLabel } from '../number-text.ts'
import type { ChartIdentity, DotPlot, DotRow, Role } from './chart.ts'
import { drawing, element, shortened, textAt, textWidth } from './element.ts'
import { legend } from './legend.ts'
import { marker, roleClass, smallTextSize } from './marks.ts'
import { countNonFinite } from './runs.ts'
import { extent, linearScale, type Scale } from './scale.ts'

const axisRoom = 40

/** Room each row takes; summary rows need more, for one bar a series. */
function rowHeight(row: DotRow): number {
  if (row.summary === true) return 16 + 14 * row.values.length
  return row.intervals === undefined ? 17 : 30
}

/** The height follows from the rows; a caller fixes only the width. */
export function drawDotPlot(chart: DotPlot, identity: ChartIdentity, width: number): string {
  const key = legend(
    chart.series.map((series) => ({
      name: series.name,
      sample: (x, y) => marker(series.role, x, y, 4.4, series.hollow),
    })),
    0,
    0,
    width,
  )
  const numbers = chart.rows.flatMap((row) => [
    ...row.values,
    ...(row.intervals ?? []).flatMap((bounds) => (bounds === null ? [] : bounds)),
  ])
  const left = Math.ceil(Math.max(...chart.rows.map((row) => textWidth(shortened(row.label), smallTextSize)), 0)) + 12
  const right = width - 14
  const top = key.height + 10
  const body = chart.rows.reduce((sum, row) => sum + rowHeight(row), 0)
  const bottom = top + body
  const height = bottom + axisRoom
  const x = linearScale(extent([...numbers, ...(chart.include ?? [0])]), [left + 6, right - 6], {
    count: Math.max(3, Math.floor((right - left) / 72)),
  })
  const axis = x.ticks.map((tick) => {
    const at = x.at(tick)
    return (
      element('line', { class: tick === 0 ? 'zero' : 'grid', x1: at, y1: top, x2: at, y2: bottom }) +
      textAt(at, bottom + 16, tickLabel(tick, x.step), { anchor: 'middle', className: 'tick' })
    )
  })
  const rows: string[] = []
  let y = top
  for (const row of chart.rows) {
    const tall = rowHeight(row)
    rows.push(
      row.summary === true
        ? drawSummary(chart, row, x, { top: y, height: tall, left, right, separator: separatorAbove(chart.rows, row) })
        : drawRow(chart, row, x, y + tall / 2, left),
    )
    y += tall
  }
  const missing = countNonFinite(numbers)
  const note =
    missing > 0
      ? textAt(right, top - 2, `${missing} non-finite, left out`, { anchor: 'end', className: 'warning' })
      : ''
  return drawing(
    identity.id,
    { width, height },
    identity.title,
    identity.description,
    key.markup,
    ...axis,
    ...rows,
    note,
    textAt((left + right) / 2, height - 5, chart.xLabel, { anchor: 'middle', className: 'axis-name' }),
  )
}

function finite(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function drawRow(chart: DotPlot, row: DotRow, x: Scale, y: number, left: number): string {
  const there = row.values.filter(finite)
  const joined =
    there.length > 1
      ? element('line', { class: 'join', x1: x.at(Math.min(...there)), y1: y, x2: x.at(Math.max(...there)), y2: y })
      : ''
  const marks = row.values.map((value, index) => {
    const series = chart.series[index]
    if (!finite(value) || series === undefined) return ''
    return (
      whisker(series.role, row.intervals?.[index] ?? null, x, y) +
      marker(series.role, x.at(value), y, 4.4, series.hollow)
    )
  })
  return textAt(left - 8, y + 4, shortened(row.label), { anchor: 'end', className: 'tick' }) + joined + marks.join('')
}

function whisker(role: Role, bounds: readonly [number, number] | null, x: Scale, y: number): string {
  if (bounds === null || !finite(bounds[0]) || !finite(bounds[1])) return ''
  const className = `whisker ${roleClass(role)}`
  const [from, to] = [x.at(bounds[0]), x.at(bounds[1])]
  const cap = (at: number) => element('line', { class: className, x1: at, y1: y - 4, x2: at, y2: y + 4 })
  return element('line', { class: className, x1: from, y1: y, x2: to, y2: y }) + cap(from) + cap(to)
}

/** A mean is set off from what it is the mean of; summaries among themselves need only a hairline. */
function separatorAbove(rows: readonly DotRow[], row: DotRow): string | null {
  const before = rows[rows.indexOf(row) - 1]
  return before === undefined ? null : before.summary === true ? 'grid' : 'axis'
}

interface SummaryPlace {
  readonly top: number
  readonly height: number
  readonly left: number
  readonly right: number
  readonly separator: string | null
}

function drawSummary(chart: DotPlot, row: DotRow, x: Scale, place: SummaryPlace): string {
  const { top, height, left, right, separator } = place
  const parts = [
    separator === null ? '' : element('line', { class: separator, x1: 0, y1: top + 5, x2: right, y2: top + 5 }),
    textAt(left - 8, top + 5 + (height - 5) / 2 + 4, shortened(row.label), { anchor: 'end', className: 'strong' }),
  ]
  row.values.forEach((value, index) => {
    const series = chart.series[index]
    if (series === undefined || !finite(value)) return
    const y = top + 17 + 14 * index
    parts.push(
      whisker(series.role, row.intervals?.[index] ?? null, x, y),
      marker(series.role, x.at(value), y, 5, series.hollow),
    )
  })
  return parts.join('')
}
