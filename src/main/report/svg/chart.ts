/** The charts a report can hold, as plain data. Drawing them is `draw-chart.ts`; no chart knows the study. */

/** Who a mark belongs to. Each role has one colour, one marker shape and one dash pattern everywhere. */
export type Role = 'reward' | 'rubric' | 'reference' | 'policy' | 'critic' | 'neutral'

export interface LinePoint {
  readonly x: number
  /** null or a non-finite number is a gap. */
  readonly y: number | null
}

export interface LineSeries {
  readonly name: string
  readonly role: Role
  readonly points: readonly LinePoint[]
  /** Odd window, in points, of a centred moving mean drawn over the raw values; absent: raw values only. */
  readonly smoothing?: number
  /** Values jump from one point to the next; drawn thin where there are many. */
  readonly jagged?: boolean
}

export interface LineChart {
  readonly kind: 'line'
  readonly xLabel: string
  readonly yLabel: string
  readonly xDomain?: readonly [number, number]
  readonly series: readonly LineSeries[]
  /** Values the vertical axis must contain, such as 0. */
  readonly include?: readonly number[]
  /** Dashed horizontal lines, explained by the figure's caption. */
  readonly levels?: readonly number[]
}

export interface DotRow {
  readonly label: string
  readonly values: readonly (number | null)[]
  /** One per value, where there is one. */
  readonly intervals?: readonly (readonly [number, number] | null)[]
  /** Set apart from the rows above (a mean). */
  readonly summary?: boolean
}

/** One row a subject, one mark a series: deltas around a zero line. */
export interface DotPlot {
  readonly kind: 'dots'
  readonly xLabel: string
  readonly series: readonly { readonly name: string; readonly role: Role; readonly hollow: boolean }[]
  readonly rows: readonly DotRow[]
  readonly include?: readonly number[]
}

export interface ScatterPlot {
  readonly kind: 'scatter'
  readonly xLabel: string
  readonly yLabel: string
  readonly role: Role
  readonly points: readonly { readonly x: number | null; readonly y: number | null; readonly label: string }[]
  /** Same domain on both axes and the line y = x; points above it are filled, the others hollow. */
  readonly aboveLabel: string
  readonly belowLabel: string
}

/** Two quantities of each subject, each on an axis of its own, with the lines where either is zero. */
export interface PlanePlot {
  readonly kind: 'plane'
  readonly xLabel: string
  readonly yLabel: string
  readonly role: Role
  readonly points: readonly { readonly x: number | null; readonly y: number | null; readonly label: string }[]
}

export interface StackedBars {
  readonly kind: 'bars'
  readonly xLabel: string
  readonly segments: readonly string[]
  readonly rows: readonly { readonly label: string; readonly values: readonly (number | null)[] }[]
}

/** One row a subject, one bar a series to either side of zero; the first series is filled, the others hollow. */
export interface SignedBars {
  readonly kind: 'signed-bars'
  readonly xLabel: string
  readonly series: readonly { readonly name: string; readonly role: Role }[]
  readonly rows: readonly { readonly label: string; readonly values: readonly (number | null)[] }[]
}

export type Chart = LineChart | DotPlot | ScatterPlot | PlanePlot | StackedBars | SignedBars

export interface ChartSize {
  readonly width: number
  readonly height: number
}

/** What identifies a drawing in its page. */
export interface ChartIdentity {
  /** Unique in the page. */
  readonly id: string
  readonly title: string
  readonly description: string
}
