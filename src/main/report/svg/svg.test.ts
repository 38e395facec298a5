import { describe, expect, it } from 'vitest'
import { tickLabel } from '../number-text.ts'
import type { LineChart } from './chart.ts'
import { drawChart } from './draw-chart.ts'
import { coordinate, escapeMarkup } from './element.ts'
import { finiteRuns, movingMean } from './runs.ts'
import { extent, linearScale, niceStep, ticksBetween } from './scale.ts'
import { segmentStyle } from './stacked-bars.ts'

const identity = { id: 'figure', title: 'Title', description: 'Description' }
const line = (ys: readonly (number | null)[], more: Partial<LineChart['series'][number]> = {}): LineChart => ({
  kind: 'line',
  xLabel: 'step',
  yLabel: 'value',
  series: [{ name: 'series', role: 'reward', points: ys.map((y, x) => ({ x, y })), ...more }],
})
const draw = (chart: LineChart) => drawChart(chart, identity, 390)
const curves = (svg: string) =>
  [...svg.matchAll(/<path class="curve role-reward" d="([^"]+)"/g)].map((match) => match[1]!)

describe('ticks', () => {
  it('steps by 1, 2 or 5 times a power of ten', () => {
    expect([0.3, 1, 7, 12, 95, 4e-6].map((span) => niceStep(span, 5))).toEqual([0.1, 0.2, 2, 5, 20, 1e-6])
  })

  it('are the decimal numbers they look like, and zero has no sign', () => {
    expect(ticksBetween(-0.3, 0.3, 0.1)).toEqual([-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3])
    expect(Object.is(ticksBetween(-1, 1, 0.5)[2], 0)).toBe(true)
    expect(ticksBetween(0, 3e-4, 1e-4)).toEqual([0, 1e-4, 2e-4, 3e-4])
  })

  it('are labelled so that no two neighbours read alike', () => {
    for (const [low, high] of [
      [0, 1.5e-3],
      [-0.021, 0.013],
      [9999, 10001],
      [1e6, 1.00001e6],
      [0, 7e8],
      [1.2e-6, 1.3e-6],
    ] as const) {
      const scale = linearScale([low, high], [0, 300])
      const labels = scale.ticks.map((tick) => tickLabel(tick, scale.step))
      expect(new Set(labels).size).toBe(labels.length)
      expect(labels.length).toBeGreaterThan(1)
    }
  })

  it('give a constant series room on both sides', () => {
    expect(extent([2, 2, null])).toEqual([1, 3])
    expect(extent([0])).toEqual([-1, 1])
    expect(extent([null, Number.NaN])).toEqual([0, 1])
  })
})

describe('line charts', () => {
  it('mark every value where there is room, and values too dense for that now and then', () => {
    const marks = (svg: string) => [...svg.matchAll(/class="mark role-reward"/g)].length
    expect(marks(draw(line([1, 3, 2, 4, 3, 5, 4, 2, 1, 2])))).toBe(10)
    const dense = marks(draw(line(Array.from({ length: 200 }, (_, at) => at % 7))))
    expect(dense).toBeGreaterThan(2)
    expect(dense).toBeLessThan(12)
  })

  it('leave a gap where nothing was measured and never draw across it', () => {
    expect(finiteRuns([1, 2, null, 3, 4].map((y, x) => ({ x, y }))).map((run) => run.map((point) => point.y))).toEqual([
      [1, 2],
      [3, 4],
    ])
    expect(curves(draw(line([1, 2, null, 3, 4])))).toHaveLength(2)
  })

  it('show a point that has no neighbours', () => {
    const svg = draw(line([null, 5, null]))
    expect(curves(svg)).toHaveLength(0)
    expect(svg).toContain('<circle class="mark role-reward"')
  })

  it('draw a constant series flat, inside the frame', () => {
    const heights = new Set(
      [...curves(draw(line([3, 3, 3])))[0]!.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map((match) => match[1]),
    )
    expect(heights.size).toBe(1)
    const [height] = [...heights].map(Number)
    expect(height).toBeGreaterThan(20)
    expect(height).toBeLessThan(190)
  })

  it('count what is not finite and never write it', () => {
    const svg = draw(line([1, Number.NaN, 2, Number.POSITIVE_INFINITY, null, 3]))
    expect(svg).toContain('2 non-finite, left out')
    expect(svg).not.toMatch(/NaN|Infinity/)
    expect(draw(line([1, null, 2]))).not.toContain('non-finite')
    expect(draw(line([]))).toContain('nothing recorded')
  })

  it('smooth within a stretch only, over the neighbours there are', () => {
    const run = [3, 6, 9, 0].map((y, x) => ({ x, y }))
    expect(movingMean(run, 3).map((point) => point.y)).toEqual([4.5, 6, 5, 4.5])
    const svg = draw(line([1, 2, 3, null, 9, 8], { smoothing: 3 }))
    expect(svg.match(/class="raw /g)).toHaveLength(2)
    expect(svg).toContain('thin: each value, bold: mean of 3')
  })

  it('are the same bytes for the same data, with an accessible name', () => {
    expect(draw(line([1, 2, 3]))).toBe(draw(line([1, 2, 3])))
    expect(draw(line([1, 2]))).toContain('role="img" aria-labelledby="figure-title figure-desc"')
  })
})

describe('other charts', () => {
  it('count strictly above the diagonal', () => {
    const svg = drawChart(
      {
        kind: 'scatter',
        xLabel: 'x',
        yLabel: 'y',
        role: 'reward',
        aboveLabel: 'above',
        belowLabel: 'not above',
        points: [
          { x: 1, y: 2, label: 'a' },
          { x: 1, y: 1, label: 'equal' },
          { x: 2, y: 1, label: '<b>' },
          { x: Number.NaN, y: 1, label: 'c' },
        ],
      },
      identity,
      390,
    )
    expect(svg).toContain('>above: 1<')
    expect(svg).toContain('>not above: 2<')
    expect(svg).toContain('1 non-finite, left out')
    expect(svg).toContain('<title>&lt;b&gt;</title>')
  })

  it('cross at zero where each quantity has an axis of its own', () => {
    const points = [
      { x: 1e-3, y: -4, label: 'batch 1' },
      { x: 3e-3, y: 8, label: '<b>' },
      { x: null, y: 1, label: 'c' },
      { x: 1, y: Number.POSITIVE_INFINITY, label: 'd' },
    ]
    const svg = drawChart({ kind: 'plane', xLabel: 'X', yLabel: 'P', role: 'policy', points }, identity, 390)
    // Of either axis: the frame's own for the values up, and one across.
    expect(svg.match(/class="zero"/g)).toHaveLength(2)
    expect(svg).toContain('2 non-finite, left out')
    expect(svg).toContain('<title>&lt;b&gt;</title>')
    expect(svg).not.toMatch(/NaN|Infinity/)
  })

  it('gives every segment of stacked bars a look of its own, seven phases and more', () => {
    const segments = Array.from({ length: 12 }, (_, at) => `phase ${at}`)
    const svg = drawChart(
      { kind: 'bars', xLabel: 'seconds', segments, rows: [{ label: 'PPO', values: segments.map(() => 1) }] },
      identity,
      640,
    )
    const hatches = new Map(
      [...svg.matchAll(/<pattern id="([^"]+)"[^>]*><path class="[^"]*" d="([^"]+)"/g)].map(([, id, d]) => [id, d]),
    )
    const looks = [
      ...svg.matchAll(/<rect class="segment (tone-\d)"[^>]*>(?:<\/rect>)?(?:<rect fill="url\(#([^)]+)\)")?/g),
    ]
      .slice(0, segments.length)
      .map(([, tone, pattern]) => `${tone} ${pattern === undefined ? '' : hatches.get(pattern)}`)
    expect(looks).toHaveLength(segments.length)
    expect(new Set(looks).size).toBe(segments.length)
    expect(looks.join()).not.toContain('undefined')
    const styles = Array.from({ length: 36 }, (_, at) => JSON.stringify(segmentStyle(at)))
    expect(new Set(styles).size).toBe(36)
  })

  it('end the axis of stacked bars just beyond the sum', () => {
    const svg = drawChart(
      {
        kind: 'bars',
        xLabel: 'seconds',
        segments: ['a', 'b'],
        rows: [
          { label: 'run', values: [30, 65] },
          { label: 'other', values: [null, Number.NaN] },
        ],
      },
      identity,
      800,
    )
    expect(svg).toContain('>100<')
    expect(svg).not.toMatch(/>120<|NaN/)
  })

  it('put a dot, an interval and a zero line where they belong', () => {
    const svg = drawChart(
      {
        kind: 'dots',
        xLabel: 'delta',
        series: [{ name: 'right', role: 'reward', hollow: false }],
        include: [0],
        rows: [
          { label: 'A', values: [1] },
          { label: 'Mean', values: [1], intervals: [[0.5, 1.5]], summary: true },
        ],
      },
      identity,
      390,
    )
    expect(svg.match(/class="whisker/g)).toHaveLength(3)
    expect(svg).toContain('class="zero"')
    const centres = [...svg.matchAll(/<circle class="mark role-reward" cx="([\d.]+)"/g)].map((match) => match[1])
    // Legend first, then the row and the mean at the same value.
    expect(centres[1]).toBe(centres[2])
  })
})

describe('bars on both sides of zero', () => {
  it('reach from zero to their value, the second series hollow, and leave out what is not finite', () => {
    const svg = drawChart(
      {
        kind: 'signed-bars',
        xLabel: 'share',
        series: [
          { name: 'projected', role: 'policy' },
          { name: 'norm', role: 'reference' },
        ],
        rows: [
          { label: 'a', values: [1, 1] },
          { label: 'b', values: [-0.5, 0.5] },
          { label: 'c', values: [Number.NaN, null] },
        ],
      },
      identity,
      800,
    )
    const zero = Number(/class="zero" x1="([\d.]+)"/.exec(svg)?.[1])
    const bars = [...svg.matchAll(/<rect class="bar role-(\w+)( hollow)?" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)]
      .slice(2)
      .map(([, role, hollow, x, length]) => ({ role, hollow, from: Number(x), length: Number(length) }))
    expect(bars.map(({ role, hollow }) => `${role}${hollow ?? ''}`)).toEqual([
      'policy',
      'reference hollow',
      'policy',
      'reference hollow',
    ])
    const [whole, , half] = bars
    expect(whole?.from).toBeCloseTo(zero, 1)
    expect((half?.from ?? 0) + (half?.length ?? 0)).toBeCloseTo(zero, 1)
    expect(half?.length).toBeCloseTo((whole?.length ?? 0) / 2, 1)
    expect(svg).toContain('1 non-finite, left out')
    expect(svg).not.toContain('NaN')
    // Each number stands on ground of its own, after the grid.
    expect(svg.match(/<rect class="ground"[^>]*>(<\/rect>)?<text/g)).toHaveLength(4)
    expect(svg.lastIndexOf('class="grid"')).toBeLessThan(svg.indexOf('class="ground"'))
  })
})

describe('markup', () => {
  it('cannot be entered by text', () => {
    expect(escapeMarkup(`<a href="x" y='z'>&\u0000\ud800`)).toBe(
      '&lt;a href=&quot;x&quot; y=&#39;z&#39;&gt;&amp;\ufffd\ufffd',
    )
    expect(escapeMarkup('😀 שלום')).toBe('😀 שלום')
  })

  it('has short coordinates', () => {
    expect([1 / 3, -0.001, 12, 1e-9].map(coordinate)).toEqual(['0.33', '0', '12', '0'])
  })
})
