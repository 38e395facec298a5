/** Chooses the step that a chart is read at: by pointer, or by arrow keys where the chart has the focus. */
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react'
import type { LinePoint } from '../../main/report/svg/chart.ts'
import { nearest } from './curves.ts'
import { type Cursor, useCursorStep } from './linked-cursor.tsx'

interface StepReaderProps {
  readonly cursor: Cursor
  readonly steps: readonly LinePoint[]
  readonly name: string
  readonly domain: readonly [number, number]
  /** Where the plotting area begins, and how wide it is, in pixels. */
  readonly left: number
  readonly width: number
  readonly children: ReactNode
}

const jumps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 }

export function StepReader({ cursor, steps, name, domain, left, width, children }: StepReaderProps) {
  const step = useCursorStep(cursor)
  const point = (event: PointerEvent<HTMLElement>) => {
    const share = (event.clientX - event.currentTarget.getBoundingClientRect().left - left) / width
    const x = domain[0] + share * (domain[1] - domain[0])
    cursor.move(share < -0.01 || share > 1.01 ? null : (nearest(steps, x)?.x ?? null))
  }
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Escape') cursor.move(null)
    const by = jumps[event.key]
    if (by === undefined || steps.length === 0) return
    event.preventDefault()
    const now = step === null ? -1 : steps.findIndex(({ x }) => x === step)
    cursor.move(steps[Math.min(steps.length - 1, Math.max(0, now + by))]!.x)
  }
  return (
    <div
      className="step-reader"
      tabIndex={0}
      role="slider"
      aria-label={name}
      aria-valuemin={domain[0]}
      aria-valuemax={domain[1]}
      aria-valuenow={step ?? domain[0]}
      aria-valuetext={step === null ? 'no step chosen' : String(step)}
      onPointerMove={point}
      onPointerLeave={() => cursor.move(null)}
      onKeyDown={key}
    >
      {children}
    </div>
  )
}
