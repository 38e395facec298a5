/** What a figure draws, as records: one a mark, exactly the numbers that were drawn. */
import type { Chart } from '../svg/chart.ts'
import type { Records } from './table-records.ts'

export function chartRecords(chart: Chart): Records {
  switch (chart.kind) {
    case 'line':
      return {
        head: ['series', chart.xLabel, chart.yLabel],
        rows: chart.series.flatMap((series) => series.points.map((point) => [series.name, point.x, point.y])),
      }
    case 'dots':
      return {
        head: ['row', 'series', chart.xLabel, 'interval low', 'interval high'],
        rows: chart.rows.flatMap((row) =>
          row.values.map((value, index) => {
            const bounds = row.intervals?.[index] ?? null
            return [row.label, chart.series[index]?.name ?? '', value, bounds?.[0] ?? null, bounds?.[1] ?? null]
          }),
        ),
      }
    case 'scatter':
    case 'plane':
      return {
        head: ['point', chart.xLabel, chart.yLabel],
        rows: chart.points.map((point) => [point.label, point.x, point.y]),
      }
    case 'signed-bars':
      return {
        head: ['row', 'series', chart.xLabel],
        rows: chart.rows.flatMap((row) =>
          row.values.map((value, index) => [row.label, chart.series[index]?.name ?? '', value]),
        ),
      }
    case 'bars':
      return {
        head: ['row', 'segment', chart.xLabel],
        rows: chart.rows.flatMap((row) =>
          row.values.map((value, index) => [row.label, chart.segments[index] ?? '', value]),
        ),
      }
  }
}
