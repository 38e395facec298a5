/** One bar a row, its parts side by side with their values; the sum written at the end. */
import { useElementSize } from '@mantine/hooks'
import { seconds } from '../../main/report/number-text.ts'
import type { StackedBars as Bars } from '../../main/report/svg/chart.ts'
import { axisOf, extentOf } from './axis.ts'
import { ChartFrame } from './ChartFrame.tsx'
import { exportableChart } from './export/exportable.ts'

export interface StackedBarsProps {
  readonly name: string
  readonly title: string
  readonly chart: Bars
  readonly caption?: string
  readonly study?: string | undefined
  /** Section, figure or table of the study's report that holds it. */
  readonly reportAt?: string | undefined
  /** How a value is written; default: seconds. */
  readonly write?: (value: number) => string
}

const tones = [
  'light-dark(#1e3a5f, #b9d2ee)',
  'light-dark(#7fa3c7, #5f86ad)',
  'light-dark(#c9d6e3, #36506b)',
  'light-dark(#5b8aa6, #7fb0c9)',
  'light-dark(#e6ebf0, #46586a)',
  'light-dark(#94a3b8, #64748b)',
  'light-dark(#3f6c94, #d9e6f2)',
  'light-dark(#b4bfca, #475569)',
]
/** Legible on the tone of the same place. */
const [dark, pale] = ['#10151a', '#ffffff']
const labels = [
  `light-dark(${pale}, ${dark})`,
  `light-dark(${dark}, ${pale})`,
  `light-dark(${dark}, ${pale})`,
  `light-dark(${dark}, ${dark})`,
  `light-dark(${dark}, ${pale})`,
  `light-dark(${dark}, ${pale})`,
  `light-dark(${pale}, ${dark})`,
  `light-dark(${dark}, ${pale})`,
]
const barHeight = 26

export function StackedBars({ name, title, chart, caption, study, reportAt, write = seconds }: StackedBarsProps) {
  const { ref, width } = useElementSize()
  const sums = chart.rows.map((row) => row.values.reduce<number>((sum, value) => sum + (value ?? 0), 0))
  const left = Math.max(...chart.rows.map((row) => row.label.length), 3) * 6.8 + 14
  const right = Math.max(left + 60, width - 84)
  const axis = axisOf(extentOf([0, ...sums]), (right - left) / 80, false, true)
  const x = (value: number) => left + ((value - axis.domain[0]) / (axis.domain[1] - axis.domain[0])) * (right - left)
  const bottom = chart.rows.length * barHeight + 6
  return (
    <ChartFrame
      exportable={exportableChart(chart, { name, title, caption, study, reportAt })}
      {...(caption === undefined ? {} : { caption })}
    >
      <ul className="chart-legend">
        {chart.segments.map((segment, index) => (
          <li key={segment}>
            <svg width={12} height={12} aria-hidden="true">
              <rect width={12} height={12} fill={tones[index % tones.length]} stroke="var(--line)" />
            </svg>
            {index + 1} {segment}
          </li>
        ))}
      </ul>
      <div ref={ref}>
        {width > 0 && (
          <svg className="plot-svg" width={width} height={bottom + 40}>
            <title>{title}</title>
            {axis.ticks.map((tick) => (
              <g key={tick}>
                <line x1={x(tick)} x2={x(tick)} y1={0} y2={bottom} stroke="var(--grid)" />
                <text x={x(tick)} y={bottom + 16} textAnchor="middle">
                  {axis.label(tick)}
                </text>
              </g>
            ))}
            <text x={(left + right) / 2} y={bottom + 34} textAnchor="middle">
              {chart.xLabel}
            </text>
            {chart.rows.map((row, index) => {
              const top = index * barHeight + 4
              let from = 0
              return (
                <g key={row.label}>
                  <text x={left - 8} y={top + 14} textAnchor="end" className="row-name">
                    {row.label}
                  </text>
                  {row.values.map((value, at) => {
                    const start = from
                    if (value === null || !(value > 0)) return null
                    from += value
                    const [x1, x2] = [x(start), x(from)]
                    return (
                      <g key={chart.segments[at]}>
                        <title>{`${row.label}, ${chart.segments[at]}: ${write(value)}`}</title>
                        <rect
                          x={x1}
                          y={top}
                          width={Math.max(0.5, x2 - x1)}
                          height={barHeight - 8}
                          fill={tones[at % tones.length]}
                          stroke="var(--paper)"
                        />
                        {x2 - x1 > 18 && (
                          <text
                            x={(x1 + x2) / 2}
                            y={top + 13}
                            textAnchor="middle"
                            style={{ fill: labels[at % labels.length] }}
                          >
                            {at + 1}
                          </text>
                        )}
                      </g>
                    )
                  })}
                  <text x={x(sums[index]!) + 7} y={top + 14} className="strong">
                    {write(sums[index]!)}
                  </text>
                </g>
              )
            })}
          </svg>
        )}
      </div>
    </ChartFrame>
  )
}
