/** One chart as an SVG string. Pure: the same chart, identity and width give the same bytes. */
import type { Chart, ChartIdentity } from './chart.ts'
import { drawDotPlot } from './dot-plot.ts'
import { drawLineChart } from './line-chart.ts'
import { drawPlane } from './plane.ts'
import { drawScatter } from './scatter.ts'
import { drawSignedBars } from './signed-bars.ts'
import { drawStackedBars } from './stacked-bars.ts'

/** Widths in pixels of the page; on A4 the wide one fills the text block, two narrow ones stand side by side. */
export const chartWidths = { narrow: 390, wide: 800 } as const

export function drawChart(chart: Chart, identity: ChartIdentity, width: number): string {
  switch (chart.kind) {
    case 'line':
      return drawLineChart(chart, identity, { width, height: width > 600 ? 300 : 230 })
    case 'dots':
      return drawDotPlot(chart, identity, width)
    case 'scatter':
      return drawScatter(chart, identity, { width, height: Math.min(width, 430) })
    case 'plane':
      return drawPlane(chart, identity, { width, height: Math.min(width, 360) })
    case 'bars':
      return drawStackedBars(chart, identity, width)
    case 'signed-bars':
      return drawSignedBars(chart, identity, width)
  }
}
