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

/** Centred mean over `window` points of one stretch; near its ends over those of them that exist. */
export function movingMean(run: readonly DrawablePoint[], window: number): DrawablePoint[] {
  const reach = Math.floor((window - 1) / 2)
  return run.map((point, index) => {
    const near = run.slice(Math.max(0, index - reach), index + reach + 1)
    return { x: point.x, y: near.reduce((sum, neighbour) => sum + neighbour.y, 0) / near.length }
  })
}
