/** The curves inside the axes: raw values thin, their moving mean over them, lone points as marks, gaps left open. */
import { memo, useMemo } from 'react'
import { usePlotArea, useXAxisDomain, useYAxisDomain } from 'recharts'
import type { LineSeries } from '../../main/report/svg/chart.ts'
import type { Drawn } from './columns.ts'
import type { Curve } from './curves.ts'
import { Marker } from './Marker.tsx'
import type { Stroke } from './strokes.ts'

export interface DrawnSeries {
  readonly series: LineSeries
  readonly curve: Curve
  readonly stroke: Stroke
}

export interface Place {
  readonly x: (value: number) => number
  readonly y: (value: number) => number
}

/** Pixel positions of values inside the chart that this component stands in. */
export function usePlace(): Place | null {
  const area = usePlotArea()
  const xs = useXAxisDomain()
  const ys = useYAxisDomain()
  const [left, right, low, high] = [Number(xs?.[0]), Number(xs?.[1]), Number(ys?.[0]), Number(ys?.[1])]
  return useMemo(() => {
    if (area === undefined || !(right > left) || !(high > low)) return null
    return {
      x: (value) => area.x + ((value - left) / (right - left)) * area.width,
      y: (value) => area.y + area.height - ((value - low) / (high - low)) * area.height,
    }
  }, [area, left, right, low, high])
}

export const Curves = memo(function Curves({ drawn }: { readonly drawn: readonly DrawnSeries[] }) {
  const place = usePlace()
  if (place === null) return null
  return (
    <g data-curves="">
      {drawn.map((one) => (
        <OneCurve key={one.series.name} {...one} place={place} />
      ))}
    </g>
  )
})

function OneCurve({ series, curve, stroke, place }: DrawnSeries & { readonly place: Place }) {
  const smooth = curve.smoothed.length > 0
  const dense = series.jagged === true && curve.points > 120
  const bold = smooth ? curve.smoothed : curve.raw
  return (
    <g fill="none" stroke={stroke.colour} strokeLinejoin="round" data-series={series.name}>
      {smooth && <path d={pathOf(curve.raw, place)} strokeWidth={1} strokeOpacity={0.4} data-raw="" />}
      {bold.length > 0 && (
        <path
          d={pathOf(bold, place)}
          strokeWidth={!smooth && dense ? 1 : 1.8}
          strokeDasharray={!smooth && dense ? undefined : stroke.dash}
          data-bold=""
        />
      )}
      {spaced(bold, place).map((point) => (
        <Marker
          key={point.x}
          role={stroke.role}
          colour={stroke.colour}
          x={place.x(point.x)}
          y={place.y(point.y)}
          radius={3}
        />
      ))}
      {curve.lone.map((point) => (
        <g key={point.x} data-lone="">
          <Marker
            role={stroke.role}
            colour={stroke.colour}
            x={place.x(point.x)}
            y={place.y(point.y)}
            radius={3.4}
            hollow={series.smoothing !== undefined}
          />
        </g>
      ))}
    </g>
  )
}

/** A move at the start of each stretch leaves the gap before it open. */
function pathOf(runs: readonly (readonly Drawn[])[], place: Place): string {
  const parts: string[] = []
  for (const run of runs) {
    run.forEach((point, index) => {
      parts.push(`${index === 0 ? 'M' : 'L'}${place.x(point.x).toFixed(1)} ${place.y(point.y).toFixed(1)}`)
    })
  }
  return parts.join('')
}

/** A shape about every 80 pixels. */
function spaced(runs: readonly (readonly Drawn[])[], place: Place): readonly Drawn[] {
  let last = Number.NEGATIVE_INFINITY
  return runs.flatMap((run) =>
    run.filter((point) => {
      const x = place.x(point.x)
      if (x - last < 80) return false
      last = x
      return true
    }),
  )
}
