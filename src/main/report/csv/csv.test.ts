import { describe, expect, it } from 'vitest'
import { fixtureDocument } from '../fixture/study-document.ts'
import { code, counted, measured, shared, verdict, written } from '../section.ts'
import { reportSections } from '../sections/outline.ts'
import { itemsOf } from '../walk.ts'
import { chartRecords } from './chart-records.ts'
import { csvField, csvText } from './records.ts'
import { reportCsv } from './report-csv.ts'
import { tableRecords } from './table-records.ts'

/** A reader of RFC 4180, strict: anything outside its grammar is an error. */
function parse(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    let field = ''
    if (text[at] === '"') {
      for (at += 1; ; at += 1) {
        if (at >= text.length) throw new Error('a quoted field does not end')
        if (text[at] === '"' && text[at + 1] === '"') at += 1
        else if (text[at] === '"') break
        field += text[at]
      }
      at += 1
    } else {
      const end = /[",\r\n]/.exec(text.slice(at))
      if (end === null || text[at + end.index] === '"') throw new Error(`a bare field breaks off at ${at}`)
      field = text.slice(at, at + end.index)
      at += end.index
    }
    row.push(field)
    if (text[at] === ',') at += 1
    else if (text.startsWith('\r\n', at)) {
      rows.push(row)
      row = []
      at += 2
    } else throw new Error(`no separator at ${at}`)
  }
  return rows
}

describe('a field', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['\n=1', '"\'\n=1"'],
    [' =1', "' =1"],
    ['＝1+1', "'＝1+1"],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
    ['−0.5', '−0.5'],
    ['', ''],
    ['zero\u0000byte', 'zero\ufffdbyte'],
    ['half \ud800', 'half \ufffd'],
    [-1, '-1'],
    [1e-7, '1e-7'],
    [0.1 + 0.2, '0.30000000000000004'],
    [Number.NaN, 'NaN'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
    [null, ''],
  ] as const)('%j is written %j', (field, text) => {
    expect(csvField(field)).toBe(text)
  })
})

describe('a table', () => {
  it('has exact values, and the printed words beside them where those say more', () => {
    const { head, rows } = tableRecords({
      caption: '',
      columns: [{ label: 'Policy' }, { label: 'Mean' }, { label: 'k / n' }, { label: 'Share' }, { label: 'Ok' }],
      rows: [
        { cells: ['SFT', measured(-0.123456), written(12, '12 / 36'), shared(1 / 3), verdict(true, 'ok')] },
        { cells: ['PPO', measured(null), counted(1200), shared(null), code('ab12')] },
      ],
    })
    expect(head).toEqual(['Policy', 'Mean', 'k / n', 'k / n (as printed)', 'Share', 'Share (as printed)', 'Ok'])
    expect(rows).toEqual([
      ['SFT', -0.123456, 12, '12 / 36', 1 / 3, '33.3%', 'ok'],
      ['PPO', null, 1200, '1,200', null, '—', 'ab12'],
    ])
  })
})

describe('the files', () => {
  const document = fixtureDocument()
  const sections = reportSections(document)
  const files = reportCsv(sections, 'tables').map(({ path, bytes }) => ({
    path,
    rows: parse(Buffer.from(bytes).toString('utf8')),
  }))
  const [index, ...tables] = files

  it('are all in the index, with the rows and columns they have', () => {
    expect(index?.path).toBe('tables/index.csv')
    const [head, ...listed] = index!.rows
    expect(head).toEqual(['file', 'kind', 'section', 'section title', 'title', 'rows', 'columns', 'id'])
    expect(listed.map(([file]) => `tables/${file}`)).toEqual(tables.map(({ path }) => path))
    listed.forEach((entry, at) => {
      const [first = [], ...rest] = tables[at]!.rows
      expect(entry.slice(5, 7)).toEqual([String(rest.length), String(first.length)])
      for (const row of rest) expect(row).toHaveLength(first.length)
    })
    expect(new Set(tables.map(({ path }) => path)).size).toBe(tables.length)
    // A name says what the file holds, in whole words.
    expect(listed.map((entry) => entry[0])).toEqual(
      listed.map((entry, at) => `${String(at + 1).padStart(2, '0')}-${entry[7]}.csv`),
    )
  })

  it('have a file for every table, figure and sample of the report', () => {
    const items = itemsOf(sections)
    const kinds = index!.rows.slice(1).map((row) => row[1])
    const count = (kind: string) => kinds.filter((one) => one === kind).length
    expect(count('table')).toBe(items.filter(({ kind }) => kind === 'table').length)
    expect(count('figure data')).toBe(items.filter(({ kind }) => kind === 'figure').length)
    expect(count('sample texts')).toBe(items.filter(({ kind }) => kind === 'exchanges').length)
  })

  it('hold every number of the document to the last bit', () => {
    const named = (part: string) => tables.find(({ path }) => path.includes(part))!.rows.slice(1)
    const updates = named('table-reward-model-updates').map((row) => row.map(Number))
    expect(updates).toEqual(
      document.curves.reward.map((point) => [
        point.update,
        point.epoch,
        point.loss,
        point.grad_norm,
        point.learning_rate,
        point.denominator,
      ]),
    )
    const learned = named('figure-ppo-reward').map((row) => Number(row[2]))
    expect(learned).toEqual(document.iterations.map((point) => point.mean_learned_reward))
    const loss = named('figure-sft-loss').filter(([series]) => series === 'training')
    expect(loss.map((row) => Number(row[2]))).toEqual(document.curves.sft.map((point) => point.loss))
    const rows = named('table-held-out-rows')
    expect(rows).toHaveLength(document.results!.actor.ppo.rows.length)
    const scores = new Set(document.results!.actor.ppo.rows.map((row) => String(row.learned_reward_score)))
    for (const score of scores) expect(rows.some((row) => row.includes(score))).toBe(true)
  })

  it('hold what each figure draws', () => {
    for (const item of itemsOf(sections)) {
      if (item.kind !== 'figure') continue
      const { head, rows } = chartRecords(item.figure.chart)
      const read = parse(csvText(head, rows))
      expect(read).toHaveLength(rows.length + 1)
      rows.forEach((row, at) => {
        row.forEach((field, column) => {
          if (typeof field === 'number') expect(Number(read[at + 1]![column])).toBe(field)
        })
      })
    }
  })
})
