/** Two scores of the same subject against each other, with the diagonal and the count on each side of it. */
import type { ChartIdentity, ChartSize, ScatterPlot } from './chart.ts'
import { drawing, element, escapeMarkup, textAt } from './element.ts'
import { frame } from './frame.ts'
import { legend } from './legend.ts'
import { marker } from './marks.ts'
import { countNonFinite } from './runs.ts'
import { extent } from './scale.ts'

export function drawScatter(chart: ScatterPlot, identity: ChartIdentity, size: ChartSize): string {
  const drawable = chart.points.flatMap((point) =>
    point.x !== null && point.y !== null && Number.isFinite(point.x) && Number.isFinite(point.y)
      ? [{ x: point.x, y: point.y, label: point.label }]
      : [],
  )
  // Strictly above: an equal score is not an outranking.
  const above = drawable.filter((point) => point.y > point.x)
  const below = drawable.filter((point) => point.y <= point.x)
  const key = legend(
    [
      { name: `${chart.aboveLabel}: ${above.length}`, sample: (x, y) => marker(chart.role, x, y, 4.4) },
      { name: `${chart.belowLabel}: ${below.length}`, sample: (x, y) => marker(chart.role, x, y, 4.4, true) },
    ],
    0,
    0,
    size.width,
  )
  const domain = extent(drawable.flatMap((point) => [point.x, point.y]))
  const area = frame({
    ...size,
    top: key.height,
    xDomain: domain,
    yDomain: domain,
    xLabel: chart.xLabel,
    yLabel: chart.yLabel,
    square: true,
  })
  const [low, high] = area.y.domain
  const missing = countNonFinite(chart.points.flatMap((point) => [point.x, point.y]))
  const mark = (hollow: boolean) => (point: { readonly x: number; readonly y: number; readonly label: string }) =>
    element(
      'g',
      {},
      element('title', {}, escapeMarkup(point.label)),
      marker(chart.role, area.x.at(point.x), area.y.at(point.y), 4.6, hollow),
    )
  return drawing(
    identity.id,
    size,
    identity.title,
    identity.description,
    key.markup,
    area.markup,
    element('line', {
      class: 'diagonal',
      x1: area.x.at(low),
      y1: area.y.at(low),
      x2: area.x.at(high),
      y2: area.y.at(high),
    }),
    ...below.map(mark(true)),
    ...above.map(mark(false)),
    missing > 0
      ? textAt(area.right, area.top - 7, `${missing} non-finite, left out`, { anchor: 'end', className: 'warning' })
      : '',
  )
}
