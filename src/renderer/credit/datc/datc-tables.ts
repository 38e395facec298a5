/** Readings of token weights as tables and bars. */
import { counted, measured, precise, type Table } from '../../../main/report/section.ts'
import type { SignedBars } from '../../../main/report/svg/chart.ts'
import type { CreditResultListing, DatcReading } from '../../../shared/credit.ts'

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

/** What one setting predicts, over its rollouts. */
export function gainsOf({ rows }: DatcReading) {
  const gain = mean(rows.map((row) => row.predicted_gain))
  const uniform = mean(rows.map((row) => row.predicted_gain_uniform))
  return { gain, uniform, more: gain === null || uniform === null ? null : gain - uniform }
}

export interface ReadResult {
  readonly listing: CreditResultListing
  readonly reading: DatcReading
}

export function ablationTable(results: readonly ReadResult[]): Table {
  return {
    caption: 'Settings side by side',
    columns: [
      { label: 'Ablation' },
      { label: 'λ', numeric: true },
      { label: 'Rollouts', numeric: true },
      { label: 'Predicted gain, mean', numeric: true },
      { label: 'With equal weights', numeric: true },
      { label: 'Difference', numeric: true },
    ],
    rows: results.map(({ reading }) => {
      const { gain, uniform, more } = gainsOf(reading)
      return {
        cells: [
          reading.ablation,
          measured(reading.max_weight, 0),
          counted(reading.rows.length),
          precise(gain),
          precise(uniform),
          precise(more),
        ],
      }
    }),
  }
}

export function rolloutTable({ rows }: DatcReading): Table {
  return {
    caption: 'Weights by rollout',
    columns: [
      { label: 'Rollout' },
      { label: 'Advantage', numeric: true },
      { label: 'Content tokens', numeric: true },
      { label: 'Least weight', numeric: true },
      { label: 'Most', numeric: true },
      { label: 'Temperature τ', numeric: true },
      { label: 'Predicted gain', numeric: true },
      { label: 'With equal weights', numeric: true },
    ],
    rows: rows.map((row) => ({
      cells: [
        row.id,
        measured(row.advantage),
        counted(row.content.filter((inside) => inside).length),
        measured(least(row.weights)),
        measured(most(row.weights)),
        measured(row.temperature),
        precise(row.predicted_gain),
        precise(row.predicted_gain_uniform),
      ],
    })),
  }
}

const least = (values: readonly number[]) => (values.length === 0 ? null : Math.min(...values))
const most = (values: readonly number[]) => (values.length === 0 ? null : Math.max(...values))

/** So many rollouts are still read as bars. */
export const mostBars = 24

export function gainBars({ rows }: DatcReading): SignedBars {
  return {
    kind: 'signed-bars',
    xLabel: 'predicted gain Σ w·A·d, first order',
    series: [
      { name: 'with these weights', role: 'policy' },
      { name: 'with equal weights', role: 'reference' },
    ],
    rows: rows
      .slice(0, mostBars)
      .map((row) => ({ label: row.id, values: [row.predicted_gain, row.predicted_gain_uniform] })),
  }
}
