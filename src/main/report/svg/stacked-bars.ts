/** Horizontal bars of parts that add up: seconds by phase. Segments differ by hatching as well as by tone. */

import { tickLabel } from '../number-text.ts'
import type { ChartIdentity, StackedBars } from './chart.ts'
import { drawing, element, shortened, textAt, textWidth } from './element.ts'
import { legend } from './legend.ts'
import { smallTextSize } from './marks.ts'
import { linearScale } from './scale.ts'

const barHeight = 22
const barGap = 14

export function drawStackedBars(chart: StackedBars, identity: ChartIdentity, width: number): string {
  const pattern = (index: number) => `${identity.id}-fill-${index}`
  const styles = chart.segments.map((_, index) => segmentStyle(index))
  const box = (index: number, x: number, y: number, boxWidth: number, height: number) => {
    const { tone, hatch } = styles[index] ?? segmentStyle(index)
    return (
      element('rect', { class: `segment tone-${tone}`, x, y, width: boxWidth, height }) +
      (hatch === 0 ? '' : element('rect', { fill: `url(#${pattern(index)})`, x, y, width: boxWidth, height }))
    )
  }
  const key = legend(
    chart.segments.map((name, index) => ({ name, sample: (x, y) => box(index, x - 9, y - 6, 18, 12) })),
    0,
    0,
    width,
  )
  const totals = chart.rows.map((row) => row.values.reduce<number>((sum, value) => sum + usable(value), 0))
  const left = Math.ceil(Math.max(...chart.rows.map((row) => textWidth(shortened(row.label), smallTextSize)), 0)) + 12
  const right = width - 14
  const top = key.height + 12
  const bottom = top + chart.rows.length * (barHeight + barGap)
  const x = linearScale([0, Math.max(...totals, 1e-9)], [left, right], {
    count: Math.max(3, Math.floor((right - left) / 80)),
  })
  const axis = x.ticks.map(
    (tick) =>
      element('line', { class: tick === 0 ? 'zero' : 'grid', x1: x.at(tick), y1: top, x2: x.at(tick), y2: bottom }) +
      textAt(
        Math.min(x.at(tick), width - textWidth(tickLabel(tick, x.step), smallTextSize) / 2 - 1),
        bottom + 16,
        tickLabel(tick, x.step),
        {
          anchor: 'middle',
          className: 'tick',
        },
      ),
  )
  const bars = chart.rows.flatMap((row, at) => {
    const y = top + at * (barHeight + barGap) + barGap / 2
    let sum = 0
    const boxes = row.values.map((value, index) => {
      const from = x.at(sum)
      sum += usable(value)
      return usable(value) === 0 ? '' : box(index, from, y, x.at(sum) - from, barHeight)
    })
    return [
      textAt(left - 8, y + barHeight / 2 + 4, shortened(row.label), { anchor: 'end', className: 'tick' }),
      ...boxes,
    ]
  })
  const height = bottom + 40
  return drawing(
    identity.id,
    { width, height },
    identity.title,
    identity.description,
    element('defs', {}, ...styles.map((style, index) => (style.hatch === 0 ? '' : hatching(pattern(index), style)))),
    key.markup,
    ...axis,
    ...bars,
    textAt((left + right) / 2, height - 5, chart.xLabel, { anchor: 'middle', className: 'axis-name' }),
  )
}

/** A missing, negative or non-finite duration has no length. */
function usable(value: number | null): number {
  return value !== null && Number.isFinite(value) && value > 0 ? value : 0
}

const hatchings = ['', 'M0 8L8 0', 'M0 0L8 8', 'M0 4H8', 'M4 0V8', 'M0 8L8 0M0 0L8 8']
const tones = 6
/** Steps by which hatching runs ahead of tone, round by round: a tone that comes again is hatched as unlike as can be. */
const rounds = [0, 3, 1, 4, 2, 5]
/** Tones near the page's own: their hatching is drawn darker than they are. */
const pale = new Set([2, 4])

export interface SegmentStyle {
  /** Which fill, 0 to 5. */
  readonly tone: number
  /** Which hatching over it, 0 for none. */
  readonly hatch: number
}

/** How the n-th segment looks: the first 36 differ from each other in tone or in hatching, never in hue alone. */
export function segmentStyle(index: number): SegmentStyle {
  const tone = index % tones
  const ahead = rounds[Math.floor(index / tones) % rounds.length] ?? 0
  return { tone, hatch: (tone + ahead) % hatchings.length }
}

function hatching(id: string, { tone, hatch }: SegmentStyle): string {
  return element(
    'pattern',
    { id, width: 8, height: 8, patternUnits: 'userSpaceOnUse' },
    element('path', { class: `hatch${pale.has(tone) ? ' deep' : ''}`, d: hatchings[hatch] ?? '' }),
  )
}
