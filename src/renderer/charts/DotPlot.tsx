/** One row a subject, its values as marks around a zero line; means set apart, with their intervals. */
import { useElementSize } from '@mantine/hooks'
import { change } from '../../main/report/number-text.ts'
import type { DotRow, DotPlot as Dots } from '../../main/report/svg/chart.ts'
import { axisOf, extentOf } from './axis.ts'
import { ChartFrame } from './ChartFrame.tsx'
import { exportableChart } from './export/exportable.ts'
import { Marker } from './Marker.tsx'
import { roleStrokes } from './strokes.ts'

export interface DotPlotProps {
  readonly name: string
  readonly title: string
  readonly chart: Dots
  readonly caption?: string
  readonly study?: string
  /** Section, figure or table of the study's report that holds it. */
  readonly reportAt?: string | undefined
  /** The row that is open, and what opens one. Summary rows open nothing. */
  readonly selected?: string | null
  readonly onSelect?: (label: string) => void
}

const rowHeight = 22
const summaryHeight = 40

export function DotPlot({ name, title, chart, caption, study, reportAt, selected = null, onSelect }: DotPlotProps) {
  const { ref, width } = useElementSize()
  const numbers = chart.rows.flatMap((row) => [
    ...row.values,
    ...(row.intervals ?? []).flatMap((bounds) => bounds ?? []),
  ])
  const left = Math.min(220, Math.max(...chart.rows.map((row) => row.label.length), 4) * 6.6 + 16)
  const right = Math.max(left + 60, width - 12)
  const axis = axisOf(extentOf([...numbers, ...(chart.include ?? [0])]), (right - left) / 80, false, true)
  const x = (value: number) =>
    left + 8 + ((value - axis.domain[0]) / (axis.domain[1] - axis.domain[0])) * (right - left - 16)
  const tops: number[] = []
  let bottom = 6
  for (const row of chart.rows) {
    tops.push(bottom)
    bottom += row.summary === true ? summaryHeight : rowHeight
  }
  const nonFinite = numbers.filter((value) => value !== null && !Number.isFinite(value)).length
  return (
    <ChartFrame
      exportable={exportableChart(chart, { name, title, caption, study, reportAt })}
      notes={nonFinite > 0 ? [{ text: `${nonFinite} non-finite, left out`, warning: true }] : []}
      {...(caption === undefined ? {} : { caption })}
    >
      <ul className="chart-legend">
        {chart.series.map((series) => (
          <li key={series.name}>
            <svg width={14} height={14} aria-hidden="true">
              <Marker
                role={series.role}
                colour={roleStrokes[series.role].colour}
                x={7}
                y={7}
                radius={4.4}
                hollow={series.hollow}
              />
            </svg>
            {series.name}
          </li>
        ))}
      </ul>
      <div ref={ref}>
        {width > 0 && (
          <svg className="plot-svg" width={width} height={bottom + 40}>
            <title>{title}</title>
            {axis.ticks.map((tick) => (
              <g key={tick}>
                <line
                  x1={x(tick)}
                  x2={x(tick)}
                  y1={2}
                  y2={bottom}
                  stroke={tick === 0 ? 'var(--muted)' : 'var(--grid)'}
                  strokeWidth={tick === 0 ? 1.5 : 1}
                />
                <text x={x(tick)} y={bottom + 16} textAnchor="middle">
                  {axis.label(tick)}
                </text>
              </g>
            ))}
            <text x={(left + right) / 2} y={bottom + 34} textAnchor="middle">
              {chart.xLabel}
            </text>
            {chart.rows.map((row, index) => (
              <Row
                key={row.label}
                chart={chart}
                row={row}
                top={tops[index]!}
                left={left}
                right={right}
                x={x}
                pressed={selected === row.label}
                onSelect={row.summary === true ? undefined : onSelect}
              />
            ))}
          </svg>
        )}
      </div>
    </ChartFrame>
  )
}

interface RowProps {
  readonly chart: Dots
  readonly row: DotRow
  readonly top: number
  readonly left: number
  readonly right: number
  readonly x: (value: number) => number
  readonly pressed: boolean
  readonly onSelect: ((label: string) => void) | undefined
}

function Row({ chart, row, top, left, right, x, pressed, onSelect }: RowProps) {
  const summary = row.summary === true
  const height = summary ? summaryHeight : rowHeight
  const finite = row.values.filter((value) => value !== null && Number.isFinite(value)) as number[]
  const words = chart.series.map((series, index) => `${series.name} ${change(row.values[index])}`).join(', ')
  const middle = top + height / 2
  const offset = (index: number) => (summary ? 12 * (index - (chart.series.length - 1) / 2) + 3 : 0)
  return (
    <g
      {...(onSelect === undefined
        ? {}
        : {
            role: 'button',
            tabIndex: 0,
            'aria-pressed': pressed,
            onClick: () => onSelect(row.label),
            onKeyDown: (event: { readonly key: string; readonly preventDefault: () => void }) => {
              if (event.key !== 'Enter' && event.key !== ' ') return
              event.preventDefault()
              onSelect(row.label)
            },
          })}
    >
      <title>{`${row.label}: ${words}`}</title>
      {summary && <line x1={0} x2={right} y1={top + 3} y2={top + 3} stroke="var(--line)" />}
      <rect className="hit" x={0} y={top} width={right} height={height} rx={3} />
      <text x={left - 8} y={middle + 4} textAnchor="end" className={summary ? 'strong' : 'row-name'}>
        {row.label}
      </text>
      {!summary && finite.length > 1 && (
        <line x1={x(Math.min(...finite))} x2={x(Math.max(...finite))} y1={middle} y2={middle} stroke="var(--line)" />
      )}
      {chart.series.map((series, index) => {
        const value = row.values[index]
        if (value === null || value === undefined || !Number.isFinite(value)) return null
        const bounds = row.intervals?.[index]
        const y = middle + offset(index)
        const { colour } = roleStrokes[series.role]
        return (
          <g key={series.name}>
            {bounds !== null && bounds !== undefined && (
              <path
                d={`M${x(bounds[0])} ${y}H${x(bounds[1])}M${x(bounds[0])} ${y - 4}V${y + 4}M${x(bounds[1])} ${y - 4}V${y + 4}`}
                stroke={colour}
                strokeWidth={1.6}
                fill="none"
              />
            )}
            <Marker
              role={series.role}
              colour={colour}
              x={x(value)}
              y={y}
              radius={summary ? 5 : 4.6}
              hollow={series.hollow}
            />
          </g>
        )
      })}
    </g>
  )
}
