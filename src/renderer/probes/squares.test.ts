import { describe, expect, it } from 'vitest'
import { probeResult } from '../../main/report/fixture/judge.ts'
import { deltaPlot, outrankPlot, squaresOf, squaresTable } from './squares.ts'

describe('probe squares', () => {
  const probes = probeResult()
  const squares = squaresOf(probes)

  it('hold four candidates each, and the differences are theirs', () => {
    expect(squares).toHaveLength(probes.unique_contexts)
    for (const square of squares) {
      expect(square.rightPolite!.reward_score - square.rightPlain!.reward_score).toBeCloseTo(square.rightDelta, 9)
      expect(square.wrongPolite!.reward_score - square.wrongPlain!.reward_score).toBeCloseTo(square.wrongDelta, 9)
    }
    expect(squares.filter(({ outranks }) => outranks)).toHaveLength(probes.wrong_polite_outranks_correct_plain)
  })

  it('are drawn once each, with the mean and its interval', () => {
    const plot = deltaPlot(probes, squares)
    expect(plot.rows).toHaveLength(squares.length + 1)
    expect(plot.rows.at(-1)).toMatchObject({
      summary: true,
      intervals: [probes.correct_politeness_delta_interval, probes.incorrect_politeness_delta_interval],
    })
    const above = outrankPlot(squares).points.filter((point) => point.y! > point.x!)
    expect(above).toHaveLength(probes.wrong_polite_outranks_correct_plain)
    expect(squaresTable(squares).rows).toHaveLength(squares.length)
  })

  it('say where a candidate is missing', () => {
    const [square] = squaresOf({ ...probes, rows: [] })
    expect(square?.rightPlain).toBeUndefined()
    expect(outrankPlot([square!]).points[0]).toMatchObject({ x: null, y: null })
  })
})
