/** Two judges on one plot: learned reward across, the rubric's verdict up. Each quadrant is a button that filters by it. */
import { useElementSize } from '@mantine/hooks'
import { memo, useMemo } from 'react'
import { decimal, percent } from '../../main/report/number-text.ts'
import type { StackedBars } from '../../main/report/svg/chart.ts'
import { axisOf, extentOf } from '../charts/axis.ts'
import { ChartFrame, type Exportable } from '../charts/index.ts'
import {
  countQuadrants,
  type Quadrant,
  type QuadrantCounts,
  quadrants,
  quadrantWords,
  type SampleRow,
} from './sample-rows.ts'
import classes from './samples.module.css'

interface Props {
  readonly rows: readonly SampleRow[]
  readonly threshold: number
  readonly thresholdWords: string
  readonly chosen: Quadrant | null
  readonly onChoose: (quadrant: Quadrant | null) => void
  readonly selected: string | null
  readonly report: Exportable['report']
}

const band = 84
const gap = 6
const left = 62
const top = 4

export function QuadrantPlot({ rows, threshold, thresholdWords, chosen, onChoose, selected, report }: Props) {
  const { ref, width } = useElementSize()
  const counts = useMemo(() => countQuadrants(rows, threshold), [rows, threshold])
  const right = Math.max(left + 100, width - 8)
  const axis = useMemo(
    () => axisOf(extentOf([...rows.map((row) => row.reward), threshold]), (right - left) / 70, false, true),
    [rows, threshold, right],
  )
  const x = (value: number) => left + ((value - axis.domain[0]) / (axis.domain[1] - axis.domain[0])) * (right - left)
  const middle = Math.min(right, Math.max(left, x(threshold)))
  const judged = rows.length - counts.unjudged
  const bottom = top + 2 * band + gap
  return (
    <ChartFrame
      exportable={{ ...exportableOf(counts, thresholdWords), ...(report === undefined ? {} : { report }) }}
      notes={[
        { text: `n = ${judged}` },
        ...(counts.unjudged > 0 ? [{ text: `${counts.unjudged} not judged by the rubric` }] : []),
      ]}
    >
      <div ref={ref}>
        {width > 0 && (
          <svg className="plot-svg" width={width} height={bottom + 34}>
            <title>Learned reward against the rubric’s verdict</title>
            {quadrants.map((quadrant) => {
              const high = quadrant.startsWith('high')
              const box = {
                x: high ? middle : left,
                y: quadrant.endsWith('passed') ? top : top + band + gap,
                width: Math.max(1, high ? right - middle : middle - left),
                height: band,
              }
              return (
                <Region
                  key={quadrant}
                  quadrant={quadrant}
                  box={box}
                  count={counts[quadrant]}
                  judged={judged}
                  pressed={chosen === quadrant}
                  onPress={() => onChoose(chosen === quadrant ? null : quadrant)}
                />
              )
            })}
            <text x={left - 8} y={top + band / 2 + 4} textAnchor="end" className="row-name">
              ✓ passed
            </text>
            <text x={left - 8} y={top + gap + 1.5 * band + 4} textAnchor="end" className="row-name">
              ✕ failed
            </text>
            <line x1={middle} x2={middle} y1={top} y2={bottom} stroke="var(--muted)" strokeDasharray="5 3" />
            <Dots rows={rows} left={x(0)} unit={x(1) - x(0)} />
            <ChosenDot rows={rows} left={x(0)} unit={x(1) - x(0)} id={selected} />
            {quadrants.map((quadrant) => (
              <text
                key={quadrant}
                x={quadrant.startsWith('high') ? right - 6 : left + 6}
                y={(quadrant.endsWith('passed') ? top : top + band + gap) + 18}
                textAnchor={quadrant.startsWith('high') ? 'end' : 'start'}
                className="strong"
                style={{ fontSize: 15 }}
              >
                {counts[quadrant]}
              </text>
            ))}
            {axis.ticks.map((tick) => (
              <text key={tick} x={x(tick)} y={bottom + 14} textAnchor="middle">
                {axis.label(tick)}
              </text>
            ))}
            <text x={(left + right) / 2} y={bottom + 30} textAnchor="middle">
              learned reward; {thresholdWords}
            </text>
          </svg>
        )}
      </div>
    </ChartFrame>
  )
}

interface RegionProps {
  readonly quadrant: Quadrant
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  readonly count: number
  readonly judged: number
  readonly pressed: boolean
  readonly onPress: () => void
}

function Region({ quadrant, box, count, judged, pressed, onPress }: RegionProps) {
  const words = `${quadrantWords[quadrant]}: ${count} of ${judged}`
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button in a drawing
    <g
      role="button"
      tabIndex={0}
      aria-pressed={pressed}
      onClick={onPress}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        onPress()
      }}
    >
      <title>{words}</title>
      <rect className={classes.region} data-quadrant={quadrant} {...box} rx={3} />
    </g>
  )
}

interface DotsProps {
  readonly rows: readonly SampleRow[]
  /** Where reward 0 lies, and how many pixels a unit takes. */
  readonly left: number
  readonly unit: number
}

/** Their height within the band means nothing: it only keeps marks apart. */
function placeOf(row: SampleRow, index: number, zero: number, unit: number) {
  const scatter = ((index * 0.618_033_988_75) % 1) * (band - 40)
  const passed = row.rubric?.rubric_success === true
  return { x: zero + row.reward * unit, y: (passed ? top : top + band + gap) + 28 + scatter }
}

/** Passed: teal squares; failed: hollow amber circles. Marks on the same two pixels are drawn once. */
const Dots = memo(function Dots({ rows, left: zero, unit }: DotsProps) {
  const seen = new Set<string>()
  return (
    <g pointerEvents="none">
      {rows.map((row, index) => {
        if (row.rubric === null || !Number.isFinite(row.reward)) return null
        const { x, y } = placeOf(row, index, zero, unit)
        const cell = `${Math.round(x / 2)} ${Math.round(y / 2)}`
        if (seen.has(cell)) return null
        seen.add(cell)
        return row.rubric.rubric_success ? (
          <rect key={row.id} x={x - 2.6} y={y - 2.6} width={5.2} height={5.2} fill="var(--rubric)" fillOpacity={0.6} />
        ) : (
          <circle
            key={row.id}
            cx={x}
            cy={y}
            r={2.8}
            fill="none"
            stroke="var(--reward)"
            strokeOpacity={0.75}
            strokeWidth={1.3}
          />
        )
      })}
    </g>
  )
})

/** The chosen row, over the others. */
function ChosenDot({ rows, left: zero, unit, id }: DotsProps & { readonly id: string | null }) {
  const index = id === null ? -1 : rows.findIndex((row) => row.id === id)
  const row = rows[index]
  if (row === undefined || row.rubric === null || !Number.isFinite(row.reward)) return null
  const { x, y } = placeOf(row, index, zero, unit)
  return <circle cx={x} cy={y} r={4.4} fill="var(--ink)" stroke="var(--paper)" strokeWidth={1.5} pointerEvents="none" />
}

function exportableOf(counts: QuadrantCounts, thresholdWords: string): Exportable {
  const all = quadrants.reduce((sum, quadrant) => sum + counts[quadrant], 0)
  const caption = `Learned reward against the rubric’s verdict (${thresholdWords})`
  return {
    name: 'quadrants',
    title: 'Do the two judges agree?',
    caption,
    drawing: { chart: bars(counts) },
    records: () => ({
      head: ['quadrant', 'responses', 'share'],
      rows: quadrants.map((quadrant) => [quadrantWords[quadrant], counts[quadrant], counts[quadrant] / all]),
    }),
    table: () => ({
      caption,
      columns: [{ label: 'Quadrant' }, { label: 'Responses', numeric: true }, { label: 'Share', numeric: true }],
      rows: quadrants.map((quadrant) => ({
        cells: [quadrantWords[quadrant], decimal(counts[quadrant], 0), percent(counts[quadrant] / all)],
      })),
    }),
  }
}

/** For print: how many of the passed and of the failed have a low or a high reward. */
function bars(counts: QuadrantCounts): StackedBars {
  return {
    kind: 'bars',
    xLabel: 'responses',
    segments: ['low learned reward', 'high learned reward'],
    rows: [
      { label: '✓ passed', values: [counts['low-passed'], counts['high-passed']] },
      { label: '✗ failed', values: [counts['low-failed'], counts['high-failed']] },
    ],
  }
}
