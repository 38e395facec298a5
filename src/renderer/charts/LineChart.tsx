/** Curves over steps that do not lie: gaps, lone points and non-finite values are shown or counted, never bridged. */
import { useElementSize } from '@mantine/hooks'
import { memo, useMemo } from 'react'
import { CartesianGrid, ComposedChart, ReferenceLine, XAxis, YAxis } from 'recharts'
import { integer } from '../../main/report/number-text.ts'
import type { LineChart as Lines } from '../../main/report/svg/chart.ts'
import { type Axis, axisOf, lineDomains } from './axis.ts'
import { ChartFrame, type ChartNote } from './ChartFrame.tsx'
import { CursorLayer } from './CursorLayer.tsx'
import { Curves, type DrawnSeries } from './Curves.tsx'
import { curveOf } from './curves.ts'
import { exportableChart } from './export/exportable.ts'
import { Legend } from './Legend.tsx'
import { useCursor } from './linked-cursor.tsx'
import { usePaced } from './paced.ts'
import { StepReader } from './StepReader.tsx'
import { roleStrokes, type Stroke } from './strokes.ts'

export interface LineChartProps {
  /** Stem of exported files; also finds the chart in tests. */
  readonly name: string
  readonly title: string
  readonly chart: Lines
  readonly caption?: string
  readonly height?: number
  /** One a series, where roles do not tell them apart. */
  readonly strokes?: readonly Stroke[]
  readonly study?: string | undefined
  /** Section, figure or table of the study's report that holds it. */
  readonly reportAt?: string | undefined
}

const tick = { fill: 'var(--muted)', fontSize: 11 }
const usualHeight = 190
/** Title, legend and caption around the plot. */
const around = 92

export function LineChart(props: LineChartProps) {
  const shown = usePaced(props)
  if (shown === undefined) return <div style={{ minHeight: (props.height ?? usualHeight) + around }} />
  return <DrawnChart {...shown} />
}

const DrawnChart = memo(function DrawnChart({
  name,
  title,
  chart,
  caption,
  height = usualHeight,
  strokes,
  study,
  reportAt,
}: LineChartProps) {
  const { ref, width } = useElementSize()
  const cursor = useCursor()
  const domains = useMemo(() => lineDomains(chart), [chart])
  const [left, right] = domains.x
  const [low, high] = domains.y
  const yAxis = useMemo(() => axisOf([low, high], Math.floor(height / 36), false, true), [low, high, height])
  const yWidth = Math.ceil(yAxis.labelLength * 6.4) + 12
  // Half of the last step's label hangs over the end of the axis.
  const overhang = 10 + String(Math.round(right)).length * 2.6
  const plotWidth = Math.max(10, width - yWidth - overhang)
  const xAxis = useMemo(
    () => axisOf([left, right], Math.max(2, Math.floor(plotWidth / 64)), true, false),
    [left, right, plotWidth],
  )
  const drawn = useMemo<readonly DrawnSeries[]>(
    () =>
      chart.series.map((series, index) => ({
        series,
        curve: curveOf(series, domains.x, plotWidth),
        stroke: strokes?.[index] ?? roleStrokes[series.role],
      })),
    [chart, strokes, domains, plotWidth],
  )
  const steps = chart.series.reduce<Lines['series'][number]['points']>(
    (longest, series) => (series.points.length > longest.length ? series.points : longest),
    [],
  )
  // What has not changed keeps its identity: the library measures axes anew for every object that is new to it.
  const margin = useMemo(() => ({ top: 8, right: overhang, bottom: 4, left: 0 }), [overhang])
  const ends = useMemo(() => [{ x: left }, { x: right }], [left, right])
  const empty = drawn.every(({ curve }) => curve.points === 0)
  return (
    <ChartFrame
      exportable={exportableChart(chart, { name, title, caption, strokes, study, reportAt })}
      notes={notesOf(drawn)}
      {...(caption === undefined ? {} : { caption })}
    >
      <Legend cursor={cursor} drawn={drawn} />
      <StepReader
        cursor={cursor}
        steps={steps}
        name={`${title}: ${chart.xLabel} to read`}
        domain={domains.x}
        left={yWidth}
        width={plotWidth}
      >
        <div ref={ref} className="chart-plot" style={{ height }}>
          {width > 0 && (
            <ComposedChart width={width} height={height} data={ends} margin={margin} accessibilityLayer={false}>
              <Axes xAxis={xAxis} yAxis={yAxis} yWidth={yWidth} xLabel={chart.xLabel} />
              {(chart.levels ?? []).map((level) => (
                <Level key={level} at={level} />
              ))}
              <Curves drawn={drawn} />
              <CursorLayer cursor={cursor} drawn={drawn} xLabel={chart.xLabel} />
            </ComposedChart>
          )}
          {empty && <p className="chart-empty">nothing recorded yet</p>}
        </div>
      </StepReader>
    </ChartFrame>
  )
})

interface AxesProps {
  readonly xAxis: Axis
  readonly yAxis: Axis
  readonly yWidth: number
  readonly xLabel: string
}

const Axes = memo(function Axes({ xAxis, yAxis, yWidth, xLabel }: AxesProps) {
  return (
    <>
      <CartesianGrid vertical={false} stroke="var(--grid)" />
      <XAxis
        type="number"
        dataKey="x"
        domain={[...xAxis.domain]}
        ticks={[...xAxis.ticks]}
        tickFormatter={stepLabel}
        tick={tick}
        stroke="var(--muted)"
        height={38}
        interval={0}
        label={{ value: xLabel, position: 'insideBottom', fill: 'var(--muted)', fontSize: 11, offset: 2 }}
      />
      <YAxis
        type="number"
        domain={[...yAxis.domain]}
        ticks={[...yAxis.ticks]}
        tickFormatter={yAxis.label}
        tick={tick}
        stroke="var(--muted)"
        width={yWidth}
        interval={0}
        allowDataOverflow
      />
      {yAxis.domain[0] < 0 && yAxis.domain[1] > 0 && <ReferenceLine y={0} stroke="var(--muted)" />}
    </>
  )
})

const Level = memo(function Level({ at }: { readonly at: number }) {
  return <ReferenceLine y={at} stroke="var(--muted)" strokeDasharray="4 3" />
})

/** Steps are whole; a tick between them has its own digits. */
const stepLabel = (step: number): string => (Number.isInteger(step) ? integer(step) : String(step))

function notesOf(drawn: readonly DrawnSeries[]): ChartNote[] {
  const sum = (of: (one: DrawnSeries) => number) => drawn.reduce((total, one) => total + of(one), 0)
  const [nonFinite, all, kept] = [
    sum(({ curve }) => curve.nonFinite),
    sum(({ curve }) => curve.points),
    sum(({ curve }) => curve.drawn),
  ]
  const window = drawn.find(({ curve }) => curve.smoothed.length > 0)?.series.smoothing
  return [
    ...(nonFinite > 0 ? [{ text: `${integer(nonFinite)} non-finite, left out`, warning: true }] : []),
    ...(kept < all ? [{ text: `decimated ${integer(all)} → ${integer(kept)}, extremes kept` }] : []),
    ...(window === undefined ? [] : [{ text: `thin: each value · bold: mean of ${window}` }]),
  ]
}
