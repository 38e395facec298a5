import { describe, expect, it } from 'vitest'
import { axisOf, extentOf, lineDomains } from './axis.ts'

describe('axes', () => {
  it('give a constant room on both sides', () => {
    expect(extentOf([2, 2, Number.NaN, null])).toEqual([1, 3])
    expect(extentOf([0])).toEqual([-1, 1])
    expect(extentOf([Number.NaN, Number.NEGATIVE_INFINITY])).toEqual([0, 1])
  })

  it('widen to whole ticks', () => {
    const axis = axisOf([0.13, 0.87], 5, false, true)
    expect(axis.domain).toEqual([0, 1])
    expect(axis.ticks.map(axis.label)).toEqual(['0', '0.2', '0.4', '0.6', '0.8', '1.0'])
  })

  it('have whole steps where steps are counted', () => {
    expect(axisOf([1, 3], 8, true, false).ticks).toEqual([1, 2, 3])
  })

  it('begin at zero for what is zero throughout', () => {
    const zeros = [1, 2].map((x) => ({ x, y: 0 }))
    const chart = {
      kind: 'line' as const,
      xLabel: '',
      yLabel: '',
      series: [{ name: '', role: 'neutral' as const, points: zeros }],
    }
    expect(lineDomains({ ...chart, include: [0] }).y).toEqual([0, 1])
    expect(lineDomains(chart).y).toEqual([-1, 1])
    const unit = [{ ...chart.series[0]!, points: [-1, 1].map((y, x) => ({ x, y })) }]
    expect(lineDomains({ ...chart, include: [0], series: unit }).y).toEqual([-1, 1])
  })

  it('contain what a chart must show', () => {
    const points = Array.from({ length: 200_000 }, (_, x) => ({ x, y: 1 + (x % 2) }))
    const domains = lineDomains({
      kind: 'line',
      xLabel: '',
      yLabel: '',
      include: [0],
      levels: [3],
      series: [{ name: '', role: 'neutral', points }],
    })
    expect(domains).toEqual({ x: [0, 199_999], y: [0, 3] })
  })
})
