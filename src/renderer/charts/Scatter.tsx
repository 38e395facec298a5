/** Two scores of each subject against each other on one scale, with the line of equality; the count above it written out. */
import { useElementSize } from '@mantine/hooks'
import { decimal } from '../../main/report/number-text.ts'
import type { ScatterPlot } from '../../main/report/svg/chart.ts'
import { axisOf, extentOf } from './axis.ts'
import { ChartFrame } from './ChartFrame.tsx'
import { exportableChart } from './export/exportable.ts'
import { Marker } from './Marker.tsx'
import { roleStrokes } from './strokes.ts'

export interface ScatterProps {
  readonly name: string
  readonly title: string
  readonly chart: ScatterPlot
  readonly caption?: string
  readonly study?: string
  /** Section, figure or table of the study's report that holds it. */
  readonly reportAt?: string | undefined
  readonly selected?: string | null
  readonly onSelect?: (label: string) => void
}

interface Point {
  readonly x: number
  readonly y: number
  readonly label: string
}

const bottomRoom = 40

export function Scatter({ name, title, chart, caption, study, reportAt, selected = null, onSelect }: ScatterProps) {
  const { ref, width } = useElementSize()
  const finite = chart.points.filter(
    (point): point is Point =>
      point.x !== null && point.y !== null && Number.isFinite(point.x) && Number.isFinite(point.y),
  )
  const missing = chart.points.length - finite.length
  const side = Math.max(120, Math.min(width - 60, 430))
  const axis = axisOf(extentOf(finite.flatMap(({ x, y }) => [x, y])), side / 70, false, true)
  const left = axis.labelLength * 6.6 + 30
  const share = (value: number) => (value - axis.domain[0]) / (axis.domain[1] - axis.domain[0])
  const x = (value: number) => left + share(value) * side
  const y = (value: number) => 8 + side - share(value) * side
  const above = finite.filter((point) => point.y > point.x).length
  const { colour } = roleStrokes[chart.role]
  return (
    <ChartFrame
      exportable={exportableChart(chart, { name, title, caption, study, reportAt })}
      notes={missing > 0 ? [{ text: `${missing} without both scores, left out`, warning: true }] : []}
      {...(caption === undefined ? {} : { caption })}
    >
      <ul className="chart-legend">
        {[
          { label: chart.aboveLabel, count: above, hollow: false },
          { label: chart.belowLabel, count: finite.length - above, hollow: true },
        ].map((entry) => (
          <li key={entry.label}>
            <svg width={14} height={14} aria-hidden="true">
              <Marker role={chart.role} colour={colour} x={7} y={7} radius={4.4} hollow={entry.hollow} />
            </svg>
            {entry.label}: <b>{entry.count}</b> of {finite.length}
          </li>
        ))}
      </ul>
      <div ref={ref}>
        {width > 0 && (
          <svg className="plot-svg" width={left + side + 12} height={side + 8 + bottomRoom}>
            <title>{title}</title>
            {axis.ticks.map((tick) => (
              <g key={tick}>
                <line x1={left} x2={left + side} y1={y(tick)} y2={y(tick)} stroke="var(--grid)" />
                <line x1={x(tick)} x2={x(tick)} y1={8} y2={8 + side} stroke="var(--grid)" />
                <text x={x(tick)} y={side + 24} textAnchor="middle">
                  {axis.label(tick)}
                </text>
                <text x={left - 7} y={y(tick) + 4} textAnchor="end">
                  {axis.label(tick)}
                </text>
              </g>
            ))}
            <line
              x1={x(axis.domain[0])}
              y1={y(axis.domain[0])}
              x2={x(axis.domain[1])}
              y2={y(axis.domain[1])}
              stroke="var(--muted)"
              strokeDasharray="6 4"
            />
            <text x={left + side / 2} y={side + 42} textAnchor="middle">
              {chart.xLabel}
            </text>
            <text transform={`translate(11 ${8 + side / 2}) rotate(-90)`} textAnchor="middle">
              {chart.yLabel}
            </text>
            {finite.map((point) => (
              <g
                key={point.label}
                {...(onSelect === undefined
                  ? {}
                  : {
                      role: 'button',
                      tabIndex: 0,
                      'aria-pressed': selected === point.label,
                      onClick: () => onSelect(point.label),
                      onKeyDown: (event: { readonly key: string; readonly preventDefault: () => void }) => {
                        if (event.key !== 'Enter' && event.key !== ' ') return
                        event.preventDefault()
                        onSelect(point.label)
                      },
                    })}
              >
                <title>{`${point.label}: ${chart.xLabel} ${decimal(point.x)}, ${chart.yLabel} ${decimal(point.y)}`}</title>
                <circle className="hit" cx={x(point.x)} cy={y(point.y)} r={11} />
                <Marker
                  role={chart.role}
                  colour={colour}
                  x={x(point.x)}
                  y={y(point.y)}
                  radius={4.6}
                  hollow={point.y <= point.x}
                />
              </g>
            ))}
          </svg>
        )}
      </div>
    </ChartFrame>
  )
}
