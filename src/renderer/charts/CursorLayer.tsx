/** The vertical line at the step under the pointer, and a ring on each curve there. */
import { usePlotArea } from 'recharts'
import { type DrawnSeries, usePlace } from './Curves.tsx'
import { nearest } from './curves.ts'
import { type Cursor, useCursorStep } from './linked-cursor.tsx'

interface CursorLayerProps {
  readonly cursor: Cursor
  readonly drawn: readonly DrawnSeries[]
  readonly xLabel: string
}

export function CursorLayer({ cursor, drawn, xLabel }: CursorLayerProps) {
  const step = useCursorStep(cursor)
  const area = usePlotArea()
  const place = usePlace()
  if (step === null || area === undefined || place === null) return null
  const x = place.x(step)
  if (x < area.x - 1 || x > area.x + area.width + 1) return null
  const leftwards = x > area.x + area.width - 110
  return (
    <g pointerEvents="none">
      <line x1={x} x2={x} y1={area.y} y2={area.y + area.height} stroke="var(--muted)" strokeDasharray="3 3" />
      <text
        className="cursor-step"
        x={leftwards ? x - 5 : x + 5}
        y={area.y + 10}
        textAnchor={leftwards ? 'end' : 'start'}
      >
        at {xLabel} {step}
      </text>
      {drawn.map(({ series, stroke }) => {
        const point = nearest(series.points, step)
        if (point === null || point.x !== step || point.y === null || !Number.isFinite(point.y)) return null
        return (
          <circle
            key={series.name}
            cx={x}
            cy={place.y(point.y)}
            r={4.5}
            fill="none"
            stroke={stroke.colour}
            strokeWidth={1.8}
          />
        )
      })}
    </g>
  )
}
