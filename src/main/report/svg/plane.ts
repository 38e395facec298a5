/** Two quantities of each subject against each other, each on an axis of its own, with the lines where either is zero. */
import type { ChartIdentity, ChartSize, PlanePlot } from './chart.ts'
import { drawing, element, escapeMarkup, textAt } from './element.ts'
import { frame } from './frame.ts'
import { marker } from './marks.ts'
import { extent } from './scale.ts'

export function drawPlane(chart: PlanePlot, identity: ChartIdentity, size: ChartSize): string {
  const { drawn, missing } = drawnPoints(chart)
  const area = frame({
    ...size,
    top: 0,
    xDomain: extent([0, ...drawn.map(({ x }) => x)]),
    yDomain: extent([0, ...drawn.map(({ y }) => y)]),
    xLabel: chart.xLabel,
    yLabel: chart.yLabel,
  })
  return drawing(
    identity.id,
    size,
    identity.title,
    identity.description,
    area.markup,
    element('line', { class: 'zero', x1: area.x.at(0), y1: area.top, x2: area.x.at(0), y2: area.bottom }),
    ...drawn.map(({ x, y, label }) =>
      element('g', {}, element('title', {}, escapeMarkup(label)), marker(chart.role, area.x.at(x), area.y.at(y), 3.8)),
    ),
    missing > 0
      ? textAt(area.right, area.top - 7, `${missing} non-finite, left out`, { anchor: 'end', className: 'warning' })
      : '',
  )
}

/** Those with both numbers, and how many have not. */
export function drawnPoints({ points }: PlanePlot) {
  const drawn = points.flatMap(({ x, y, label }) =>
    x !== null && y !== null && Number.isFinite(x) && Number.isFinite(y) ? [{ x, y, label }] : [],
  )
  return { drawn, missing: points.length - drawn.length }
}
