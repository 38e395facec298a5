import { describe, expect, it } from 'vitest'
import type { LineChart } from '../../../main/report/svg/chart.ts'
import { exportableChart } from './exportable.ts'
import { csv, latex, tabbed } from './text-forms.ts'

const chart: LineChart = {
  kind: 'line',
  xLabel: 'step',
  yLabel: 'loss_1',
  series: [
    {
      name: 'a & b',
      role: 'reward',
      points: [
        { x: 1, y: 0.123456789 },
        { x: 2, y: Number.NaN },
        { x: 3, y: null },
      ],
    },
  ],
}
const taken = exportableChart(chart, { name: 'loss', title: 'Loss' })

describe('a chart taken away', () => {
  it('keeps every number exactly in comma-separated values, and names what is not finite', () => {
    expect(csv(taken.records())).toBe('series,step,loss_1\r\na & b,1,0.123456789\r\na & b,2,NaN\r\na & b,3,\r\n')
  })

  it('goes to the clipboard with tabs', () => {
    expect(tabbed(taken.records()).split('\n')[1]).toBe('a & b\t1\t0.123456789')
  })

  it('is never a formula, on the clipboard or in a file', () => {
    const records = {
      head: ['=1+1', 'n'],
      rows: [
        ['\t@SUM(A1)', -1],
        [' +cmd|x', null],
      ],
    } as const
    expect(tabbed(records)).toBe("'=1+1\tn\n' @SUM(A1)\t-1\n' +cmd|x\t")
    expect(csv(records)).toBe("'=1+1,n\r\n'\t@SUM(A1),-1\r\n' +cmd|x,\r\n")
  })

  it('becomes a booktabs table that does nothing but say its text', () => {
    const tex = latex(taken.table(), 'loss')
    expect(tex).toContain('\\begin{tabular}{@{}lrr@{}}')
    expect(tex).toContain('a \\& b & 1 & 0.123 \\\\')
    expect(tex).toContain('loss\\_1')
    expect(tex).toContain('\\providecommand{\\straightquote}')
  })
})
