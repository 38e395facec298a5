/** The report's tables, sample texts and figure data as CSV files, with an index that says what each of them is. */
import type { ReportFile } from '../files/report-file.ts'
import { textFile } from '../files/report-file.ts'
import type { Section } from '../section.ts'
import { type Item, itemsOf } from '../walk.ts'
import { chartRecords } from './chart-records.ts'
import { csvText } from './records.ts'
import { exchangeRecords, type Records, tableRecords } from './table-records.ts'

interface Entry {
  readonly name: string
  readonly kind: 'table' | 'figure data' | 'figure table' | 'sample texts'
  readonly section: Section
  readonly title: string
  readonly records: Records
}

export function reportCsv(sections: readonly Section[], folder: string): ReportFile[] {
  const entries = named(itemsOf(sections).flatMap(entriesOf))
  const index = csvText(
    ['file', 'kind', 'section', 'section title', 'title', 'rows', 'columns'],
    entries.map((entry) => [
      entry.name,
      entry.kind,
      entry.section.id,
      entry.section.title,
      entry.title,
      entry.records.rows.length,
      entry.records.head.length,
    ]),
  )
  return [
    textFile(`${folder}/index.csv`, index),
    ...entries.map(({ name, records }) => textFile(`${folder}/${name}`, csvText(records.head, records.rows))),
  ]
}

function entriesOf(item: Item): Omit<Entry, 'name'>[] {
  const { section } = item
  switch (item.kind) {
    case 'table':
      return [{ kind: 'table', section, title: item.table.caption, records: tableRecords(item.table) }]
    case 'exchanges':
      return [
        { kind: 'sample texts', section, title: 'Prompts and responses', records: exchangeRecords(item.exchanges) },
      ]
    case 'figure': {
      const { figure } = item
      const drawn = { kind: 'figure data', section, title: figure.title, records: chartRecords(figure.chart) } as const
      return figure.data === undefined
        ? [drawn]
        : [drawn, { kind: 'figure table', section, title: figure.data.caption, records: tableRecords(figure.data) }]
    }
  }
}

/** Names in reading order, from the section and the title's plain letters; the number keeps them apart. */
function named(entries: readonly Omit<Entry, 'name'>[]): Entry[] {
  const digits = Math.max(2, String(entries.length).length)
  return entries.map((entry, index) => {
    const words =
      entry.title
        .normalize('NFKD')
        .toLowerCase()
        .match(/[a-z0-9]+/g) ?? []
    const title = words.join('-').slice(0, 48).replace(/-$/, '')
    const number = String(index + 1).padStart(digits, '0')
    return { ...entry, name: `${[number, entry.section.id, title].filter((part) => part !== '').join('-')}.csv` }
  })
}
