import { describe, expect, it } from 'vitest'
import type { LineSeries } from '../../main/report/svg/chart.ts'
import { joinWithinColumns, reduceToColumns } from './columns.ts'
import { curveOf, movingMean, nearest, windowFor } from './curves.ts'

const series = (ys: readonly (number | null)[], smoothing?: number): LineSeries => ({
  name: 's',
  role: 'reward',
  points: ys.map((y, x) => ({ x, y })),
  ...(smoothing === undefined ? {} : { smoothing }),
})

describe('reduction to pixel columns', () => {
  const run = Array.from({ length: 200_000 }, (_, x) => ({ x, y: Math.sin(x / 9000) }))

  it('keeps every peak, at most four points a column', () => {
    const spiked = run.map((point) => (point.x === 123_456 ? { ...point, y: 50 } : point))
    const kept = reduceToColumns(spiked, [0, 199_999], 600)
    expect(kept.length).toBeLessThanOrEqual(2400)
    expect(kept.length).toBeGreaterThan(1200)
    expect(kept).toContainEqual({ x: 123_456, y: 50 })
    expect(kept[0]).toEqual(spiked[0])
    expect(kept.at(-1)).toEqual(spiked.at(-1))
    expect(kept.every((point, index) => index === 0 || point.x > kept[index - 1]!.x)).toBe(true)
  })

  it('leaves a short run as it is', () => {
    const short = run.slice(0, 2400)
    expect(reduceToColumns(short, [0, 2399], 600)).toBe(short)
  })
})

describe('many gaps', () => {
  it('narrower than a pixel cost no more than pixels', () => {
    const ys = Array.from({ length: 150_000 }, (_, index) => (index % 3 === 2 ? Number.NaN : index % 7))
    const curve = curveOf(series(ys), [0, 149_999], 500)
    expect(curve).toMatchObject({ points: 100_000, nonFinite: 50_000 })
    expect(curve.drawn).toBeLessThan(4 * 500 + 4)
  })

  it('wider than a pixel stay open', () => {
    const runs = [0, 100, 200].map((start) => [start, start + 50].map((x) => ({ x, y: 0 })))
    expect(joinWithinColumns(runs, [0, 250], 2)).toHaveLength(3)
  })

  it('leave stretches of a long series reduced, however short each is', () => {
    const ys = Array.from({ length: 200_000 }, (_, index) => (index % 1000 === 999 ? null : index % 11))
    expect(curveOf(series(ys), [0, 400_000], 360).drawn).toBeLessThan(4 * 360)
  })
})

describe('a curve', () => {
  it('shows gaps, lone points and the count of what is not finite', () => {
    const curve = curveOf(series([1, 2, Number.NaN, 3, Number.POSITIVE_INFINITY, null, 4, 5, 6]), [0, 8], 300)
    expect(curve.raw.map((run) => run.map(({ x }) => x))).toEqual([
      [0, 1],
      [6, 7, 8],
    ])
    expect(curve.lone).toEqual([{ x: 3, y: 3 }])
    expect(curve.nonFinite).toBe(2)
    expect(curve).toMatchObject({ points: 6, drawn: 6, smoothed: [] })
  })

  it('smooths within stretches only', () => {
    const curve = curveOf(series([0, 3, 6, null, 100, 100], 3), [0, 5], 300)
    expect(curve.smoothed.map((run) => run.map(({ y }) => y))).toEqual([
      [1.5, 3, 4.5],
      [100, 100],
    ])
  })

  it('survives a series without a finite value', () => {
    expect(curveOf(series([Number.NaN, null]), [0, 1], 10)).toMatchObject({ points: 0, drawn: 0, nonFinite: 1 })
  })
})

describe('small helpers of curves', () => {
  it('mean keeps a constant exactly constant', () => {
    const flat = Array.from({ length: 99 }, (_, x) => ({ x, y: 0.5 }))
    expect(movingMean(flat, 11).every(({ y }) => y === 0.5)).toBe(true)
  })

  it('mean is that of the window, wherever it lies, and forgets a spike', () => {
    const ys = Array.from({ length: 37 }, (_, index) => (index === 12 ? 1e300 : Math.sin(index)))
    const run = ys.map((y, x) => ({ x, y }))
    for (const window of [1, 3, 5, 9, 35, 37, 101]) {
      const reach = (window - 1) / 2
      movingMean(run, window).forEach(({ y }, index) => {
        const near = ys.slice(Math.max(0, index - reach), index + reach + 1)
        const mean = near.reduce((sum, value) => sum + value, 0) / near.length
        expect(Math.abs(y - mean)).toBeLessThanOrEqual(1e-12 * Math.max(...near.map(Math.abs)))
      })
    }
  })

  it('windows are odd, and there is none for a short series', () => {
    expect(windowFor(39)).toBeUndefined()
    for (const points of [40, 63, 100, 200, 5000, 200_000]) expect(windowFor(points)! % 2).toBe(1)
    expect(windowFor(200_000)).toBe(101)
  })

  it('finds the nearest point', () => {
    const points = [1, 4, 9].map((x) => ({ x, y: x }))
    expect(nearest(points, 0)?.x).toBe(1)
    expect(nearest(points, 6)?.x).toBe(4)
    expect(nearest(points, 7)?.x).toBe(9)
    expect(nearest(points, 70)?.x).toBe(9)
    expect(nearest([], 7)).toBeNull()
  })
})
