import { describe, expect, it } from 'vitest'
import { branchResult } from '../../main/report/fixture/evaluation.ts'
import {
  countQuadrants,
  evaluationRow,
  filterRows,
  medianReward,
  noFilter,
  quadrantOf,
  quadrants,
  type SampleRow,
  verdictWords,
} from './sample-rows.ts'
import { visibleRows } from './visible-rows.ts'

const rows = branchResult('ppo').rows.map(evaluationRow)
const threshold = medianReward(rows)

describe('the four quadrants', () => {
  it('hold every judged response once', () => {
    const counts = countQuadrants(rows, threshold)
    expect(quadrants.reduce((sum, quadrant) => sum + counts[quadrant], counts.unjudged)).toBe(rows.length)
    for (const quadrant of quadrants) {
      const listed = filterRows(rows, { ...noFilter, quadrant }, threshold)
      expect(listed).toHaveLength(counts[quadrant])
      expect(listed.every((row) => quadrantOf(row, threshold) === quadrant)).toBe(true)
    }
  })

  it('leave out what no rubric judged', () => {
    const unjudged: SampleRow = { ...rows[0]!, rubric: null }
    expect(quadrantOf(unjudged, threshold)).toBeNull()
    expect(verdictWords(null)).toBe('not judged')
    expect(countQuadrants([unjudged], threshold).unjudged).toBe(1)
    expect(filterRows([unjudged], { ...noFilter, quadrant: 'low-failed' }, 1e9)).toEqual([])
  })

  it('count the threshold itself as high', () => {
    expect(quadrantOf({ ...rows[0]!, reward: threshold }, threshold)).toMatch(/^high/)
  })
})

describe('the filter', () => {
  it('wants every word, in any case and order', () => {
    const [word] = rows[0]!.response.split(' ')
    const found = filterRows(rows, { ...noFilter, text: `  ${word!.toUpperCase()} ` }, threshold)
    expect(found.map(({ id }) => id)).toContain(rows[0]!.id)
    expect(filterRows(rows, { ...noFilter, text: 'no such word anywhere' }, threshold)).toEqual([])
  })

  it('keeps truncation apart', () => {
    const cut = filterRows(rows, { ...noFilter, finish: 'length' }, threshold)
    expect(cut.every(({ finish }) => finish === 'length')).toBe(true)
  })
})

describe('the window onto a long table', () => {
  it('draws what is seen and a little more', () => {
    expect(visibleRows(10_000, 30, 30 * 500, 300)).toEqual({ from: 492, to: 518 })
    expect(visibleRows(5, 30, 0, 300)).toEqual({ from: 0, to: 5 })
    expect(visibleRows(100, 30, 1e9, 300).to).toBe(100)
    expect(visibleRows(0, 30, 0, 300)).toEqual({ from: 0, to: 0 })
  })
})
