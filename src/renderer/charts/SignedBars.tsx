/** One row a subject, its values as bars to either side of zero: signed amounts side by side, written out. */
import { useElementSize } from '@mantine/hooks'
import { decimal } from '../../main/report/number-text.ts'
import type { SignedBars as Bars } from '../../main/report/svg/chart.ts'
import { axisOf, extentOf } from './axis.ts'
import { ChartFrame, type ChartNote } from './ChartFrame.tsx'
import { exportableChart } from './export/exportable.ts'
import { rowNames } from './row-names.ts'
import { roleStrokes } from './strokes.ts'

export interface SignedBarsProps {
  readonly name: string
  readonly title: string
  readonly chart: Bars
  readonly caption?: string
  readonly study?: string | undefined
  /** Section, figure or table of the study's report that holds these numbers. */
  readonly reportAt?: string | undefined
  readonly notes?: readonly ChartNote[]
  readonly selected?: string | null
  /** Absent: rows open nothing. */
  readonly onSelect?: ((label: string) => void) | undefined
}

const barHeight = 12
const rowGap = 10
const valueRoom = 60

export function SignedBars({
  name,
  title,
  chart,
  caption,
  study,
  reportAt,
  notes = [],
  selected,
  onSelect,
}: SignedBarsProps) {
  const { ref, width } = useElementSize()
  const numbers = chart.rows.flatMap((row) => row.values)
  const names = rowNames(
    chart.rows.map(({ label }) => label),
    width,
  )
  const left = names.width
  const right = Math.max(left + 120, width - 8)
  const [low, high] = extentOf([0, ...numbers])
  const axis = axisOf([low, high], (right - left) / 90, false, false)
  const start = left + (low < 0 ? valueRoom : 2)
  const span = right - valueRoom - start
  const x = (value: number) => start + ((value - axis.domain[0]) / (axis.domain[1] - axis.domain[0])) * span
  const rowHeight = chart.series.length * barHeight + rowGap
  const bottom = chart.rows.length * rowHeight + 4
  const nonFinite = numbers.filter((value) => value !== null && !Number.isFinite(value)).length
  const warnings = nonFinite > 0 ? [{ text: `${nonFinite} non-finite, left out`, warning: true }] : []
  const paint = (index: number) => {
    const { colour } = roleStrokes[chart.series[index]?.role ?? 'neutral']
    return {
      fill: index === 0 ? colour : 'var(--paper)',
      stroke: colour,
      ...(index > 1 ? { strokeDasharray: '3 2' } : {}),
    }
  }
  return (
    <ChartFrame
      exportable={exportableChart(chart, { name, title, caption, study, reportAt })}
      notes={[...notes, ...warnings]}
      {...(caption === undefined ? {} : { caption })}
    >
      <ul className="chart-legend">
        {chart.series.map((series, index) => (
          <li key={series.name}>
            <svg width={18} height={10} aria-hidden="true">
              <rect x={0.5} y={1} width={17} height={8} {...paint(index)} />
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
                  y1={0}
                  y2={bottom}
                  stroke={tick === 0 ? 'var(--muted)' : 'var(--grid)'}
                />
                <text x={x(tick)} y={bottom + 16} textAnchor="middle">
                  {axis.label(tick)}
                </text>
              </g>
            ))}
            <text x={(start + right - valueRoom) / 2} y={bottom + 34} textAnchor="middle">
              {chart.xLabel}
            </text>
            {chart.rows.map((row, at) => {
              const top = at * rowHeight + rowGap / 2
              const said = row.values.map((value, index) => `${chart.series[index]?.name} ${decimal(value)}`).join(', ')
              return (
                <g key={row.label}>
                  {/* The button is the room of the row alone: its name says what the texts over it show. */}
                  <g
                    {...(onSelect === undefined
                      ? {}
                      : {
                          role: 'button',
                          tabIndex: 0,
                          'aria-label': `${row.label}: ${said}`,
                          'aria-pressed': selected === row.label,
                          onClick: () => onSelect(row.label),
                          onKeyDown: (event: { readonly key: string; readonly preventDefault: () => void }) => {
                            if (event.key !== 'Enter' && event.key !== ' ') return
                            event.preventDefault()
                            onSelect(row.label)
                          },
                        })}
                  >
                    <title>{`${row.label}: ${said}`}</title>
                    <rect className="hit" x={0} y={top - rowGap / 2} width={right} height={rowHeight} />
                  </g>
                  <g className="over" aria-hidden={onSelect !== undefined}>
                    <text x={left - 8} y={top + (rowHeight - rowGap) / 2 + 4} textAnchor="end" className="row-name">
                      {names.shown(row.label)}
                    </text>
                    {row.values.map((value, index) => {
                      if (value === null || !Number.isFinite(value)) return null
                      const [from, to] = [x(Math.min(0, value)), x(Math.max(0, value))]
                      const y = top + index * barHeight
                      return (
                        <g key={chart.series[index]?.name}>
                          <rect
                            x={from}
                            y={y + 1}
                            width={Math.max(0.5, to - from)}
                            height={barHeight - 2}
                            {...paint(index)}
                          />
                          <text
                            x={value < 0 ? from - 5 : to + 5}
                            y={y + barHeight - 2.5}
                            textAnchor={value < 0 ? 'end' : 'start'}
                          >
                            {decimal(value)}
                          </text>
                        </g>
                      )
                    })}
                  </g>
                </g>
              )
            })}
          </svg>
        )}
      </div>
    </ChartFrame>
  )
}
