/** Two quantities of each subject against each other, each on an axis of its own, with the lines where either is zero. */
import { useElementSize } from '@mantine/hooks'
import { memo, useMemo } from 'react'
import { CartesianGrid, ReferenceLine, Scatter, ScatterChart, XAxis, YAxis } from 'recharts'
import { integer, significant } from '../../main/report/number-text.ts'
import type { PlanePlot } from '../../main/report/svg/chart.ts'
import { drawnPoints } from '../../main/report/svg/plane.ts'
import { axisOf, extentOf } from './axis.ts'
import { ChartFrame } from './ChartFrame.tsx'
import { exportableChart } from './export/exportable.ts'
import { Marker } from './Marker.tsx'
import { roleStrokes } from './strokes.ts'

export interface PlaneProps {
  readonly name: string
  readonly title: string
  readonly chart: PlanePlot
  readonly caption?: string
  readonly height?: number
}

const tick = { fill: 'var(--muted)', fontSize: 11 }
/** Of the vertical axis's title. */
const titleRoom = 18

export const Plane = memo(function Plane({ name, title, chart, caption, height = 300 }: PlaneProps) {
  const { ref, width } = useElementSize()
  const { drawn, missing } = useMemo(() => drawnPoints(chart), [chart])
  const yAxis = useMemo(
    () => axisOf(extentOf([0, ...drawn.map(({ y }) => y)]), Math.floor(height / 40), false, true),
    [drawn, height],
  )
  const yWidth = Math.ceil(yAxis.labelLength * 6.4) + 12 + titleRoom
  const xAxis = useMemo(
    () =>
      axisOf(extentOf([0, ...drawn.map(({ x }) => x)]), Math.max(2, Math.floor((width - yWidth) / 72)), false, true),
    [drawn, width, yWidth],
  )
  const margin = useMemo(() => ({ top: 8, right: 10 + xAxis.labelLength * 3, bottom: 4, left: 0 }), [xAxis])
  const { colour } = roleStrokes[chart.role]
  return (
    <ChartFrame
      exportable={exportableChart(chart, { name, title, caption })}
      notes={missing > 0 ? [{ text: `${integer(missing)} non-finite, left out`, warning: true }] : []}
      {...(caption === undefined ? {} : { caption })}
    >
      <div ref={ref} className="chart-plot" style={{ height }}>
        {width > 0 && (
          <ScatterChart width={width} height={height} margin={margin} accessibilityLayer={false}>
            <CartesianGrid stroke="var(--grid)" />
            <XAxis
              type="number"
              dataKey="x"
              domain={[...xAxis.domain]}
              ticks={[...xAxis.ticks]}
              tickFormatter={xAxis.label}
              tick={tick}
              stroke="var(--muted)"
              height={38}
              interval={0}
              label={{ value: chart.xLabel, position: 'insideBottom', fill: 'var(--muted)', fontSize: 11, offset: 2 }}
            />
            <YAxis
              type="number"
              dataKey="y"
              domain={[...yAxis.domain]}
              ticks={[...yAxis.ticks]}
              tickFormatter={yAxis.label}
              tick={tick}
              stroke="var(--muted)"
              width={yWidth}
              interval={0}
              label={{
                value: chart.yLabel,
                angle: -90,
                position: 'insideLeft',
                fill: 'var(--muted)',
                fontSize: 11,
                offset: 8,
                style: { textAnchor: 'middle' },
              }}
            />
            <ReferenceLine x={0} stroke="var(--muted)" strokeWidth={1.5} />
            <ReferenceLine y={0} stroke="var(--muted)" strokeWidth={1.5} />
            <Scatter
              data={drawn}
              isAnimationActive={false}
              shape={({ cx = 0, cy = 0, payload }: Mark) => (
                <g>
                  <title>{`${payload?.label}: ${significant(payload?.x)}, ${significant(payload?.y)}`}</title>
                  <Marker role={chart.role} colour={colour} x={cx} y={cy} radius={3.8} />
                </g>
              )}
            />
          </ScatterChart>
        )}
        {drawn.length === 0 && <p className="chart-empty">nothing to draw</p>}
      </div>
    </ChartFrame>
  )
})

/** What the library hands to a shape. */
interface Mark {
  readonly cx?: number | undefined
  readonly cy?: number | undefined
  readonly payload?: { readonly x: number; readonly y: number; readonly label: string }
}
