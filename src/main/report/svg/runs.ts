/** Series with gaps: which stretches may be joined by a line, and the moving mean that never reaches across a gap. */
import type { LinePoint } from './chart.ts'

export interface DrawablePoint {
  readonly x: number
  readonly y: number
}

/** Maximal stretches of finite neighbours. A stretch of one is a lone point, to be drawn as a mark. */
export function finiteRuns(points: readonly LinePoint[]): DrawablePoint[][] {
  const runs: DrawablePoint[][] = []
  let open: DrawablePoint[] | null = null
  for (const point of points) {
    if (point.y === null || !Number.isFinite(point.y) || !Number.isFinite(point.x)) {
      open = null
      continue
    }
    if (open === null) {
      open = []
      runs.push(open)
    }
    open.push({ x: point.x, y: point.y })
  }
  return runs
}

/** Numbers that are there but not finite. A null was never measured and is not counted. */
export function countNonFinite(values: readonly (number | null)[]): number {
  return values.filter((value) => value !== null && !Number.isFinite(value)).length
}

/** Centred mean over `window` points of one stretch; at its ends over as many as there are on both sides alike. */
export function movingMean(run: readonly DrawablePoint[], window: number): DrawablePoint[] {
  const reach = Math.floor((window - 1) / 2)
  return run.map((point, index) => {
    const half = Math.min(reach, index, run.length - 1 - index)
    let sum = 0
    for (let at = index - half; at <= index + half; at++) sum += run[at]!.y
    return { x: point.x, y: sum / (2 * half + 1) }
  })
}
