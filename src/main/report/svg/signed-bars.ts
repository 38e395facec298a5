/** Horizontal bars on either side of a zero line, one a series in each row, their values written out. */

import { decimal, tickLabel } from '../number-text.ts'
import type { ChartIdentity, SignedBars } from './chart.ts'
import { drawing, element, shortened, textAt, textWidth } from './element.ts'
import { legend } from './legend.ts'
import { roleClass, smallTextSize } from './marks.ts'
import { countNonFinite } from './runs.ts'
import { extent, linearScale } from './scale.ts'

const barHeight = 11
const rowGap = 9
const axisRoom = 40
/** A value's text at the end of its bar. */
const valueRoom = 52

/** The height follows from the rows; a caller fixes only the width. */
export function drawSignedBars(chart: SignedBars, identity: ChartIdentity, width: number): string {
  const bar = (index: number, x: number, y: number, length: number, height: number) =>
    element('rect', {
      class: `bar ${roleClass(chart.series[index]?.role ?? 'neutral')}${index === 0 ? '' : index === 1 ? ' hollow' : ' hollow dashed'}`,
      x,
      y,
      width: length,
      height,
    })
  const key = legend(
    chart.series.map(({ name }, index) => ({ name, sample: (x, y) => bar(index, x - 9, y - 4, 18, 8) })),
    0,
    0,
    width,
  )
  const numbers = chart.rows.flatMap((row) => row.values)
  const left = Math.ceil(Math.max(...chart.rows.map((row) => textWidth(shortened(row.label), smallTextSize)), 0)) + 12
  const right = width - 14
  const top = key.height + 10
  const rowHeight = chart.series.length * barHeight + rowGap
  const bottom = top + chart.rows.length * rowHeight
  const [low, high] = extent([0, ...numbers])
  const x = linearScale([low, high], [left + (low < 0 ? valueRoom : 2), right - valueRoom], {
    count: Math.max(3, Math.floor((right - left) / 80)),
    // The room goes to the bars: their numbers stand beside them.
    widen: false,
  })
  const axis = x.ticks.map(
    (tick) =>
      element('line', { class: tick === 0 ? 'zero' : 'grid', x1: x.at(tick), y1: top, x2: x.at(tick), y2: bottom }) +
      textAt(x.at(tick), bottom + 16, tickLabel(tick, x.step), { anchor: 'middle', className: 'tick' }),
  )
  const rows = chart.rows.map((row, at) => {
    const y = top + at * rowHeight + rowGap / 2
    const bars = row.values.map((value, index) => {
      if (value === null || !Number.isFinite(value)) return ''
      const [from, to] = [x.at(Math.min(0, value)), x.at(Math.max(0, value))]
      const tall = y + index * barHeight
      const text = decimal(value)
      const wide = textWidth(text, smallTextSize)
      const at = value < 0 ? from - 5 : to + 5
      return (
        bar(index, from, tall + 1, to - from, barHeight - 2) +
        // No grid line runs through the number.
        element('rect', {
          class: 'ground',
          x: value < 0 ? at - wide - 1 : at - 1,
          y: tall + 0.5,
          width: wide + 2,
          height: barHeight - 1,
        }) +
        textAt(at, tall + barHeight - 2, text, { anchor: value < 0 ? 'end' : 'start', className: 'tick' })
      )
    })
    const middle = y + (rowHeight - rowGap) / 2 + 4
    return textAt(left - 8, middle, shortened(row.label), { anchor: 'end', className: 'tick' }) + bars.join('')
  })
  const missing = countNonFinite(numbers)
  const note =
    missing > 0
      ? textAt(right, top - 2, `${missing} non-finite, left out`, { anchor: 'end', className: 'warning' })
      : ''
  const height = bottom + axisRoom
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
