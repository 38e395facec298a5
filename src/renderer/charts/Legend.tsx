/** Names and marks of the series, and their values at the step under the pointer. */
import { significant } from '../../main/report/number-text.ts'
import type { DrawnSeries } from './Curves.tsx'
import { nearest } from './curves.ts'
import { type Cursor, useCursorStep } from './linked-cursor.tsx'
import { Marker } from './Marker.tsx'

interface LegendProps {
  readonly cursor: Cursor
  readonly drawn: readonly DrawnSeries[]
}

export function Legend({ cursor, drawn }: LegendProps) {
  const step = useCursorStep(cursor)
  return (
    <ul className="chart-legend">
      {drawn.map(({ series, stroke }) => (
        <li key={series.name}>
          <svg width={26} height={12} aria-hidden="true">
            <line x1={1} x2={25} y1={6} y2={6} stroke={stroke.colour} strokeWidth={1.8} strokeDasharray={stroke.dash} />
            <Marker role={stroke.role} colour={stroke.colour} x={13} y={6} radius={3.2} />
          </svg>
          <span>{series.name}</span>
          <b className="value">{step === null ? '' : valueAt(series, step)}</b>
        </li>
      ))}
    </ul>
  )
}

function valueAt(series: DrawnSeries['series'], step: number): string {
  const point = nearest(series.points, step)
  if (point === null || point.x !== step || point.y === null) return '—'
  return Number.isFinite(point.y) ? significant(point.y) : String(point.y)
}
