/** The report's tables, sample texts and figure data as CSV files, with an index that says what each of them is. */
import type { ReportFile } from '../files/report-file.ts'
import { textFile } from '../files/report-file.ts'
import { printedCaption, type Section } from '../section.ts'
import { type Item, itemsOf } from '../walk.ts'
import { chartRecords } from './chart-records.ts'
import { csvText } from './records.ts'
import { exchangeRecords, type Records, tableRecords } from './table-records.ts'

interface Entry {
  readonly name: string
  readonly id: string
  readonly kind: 'table' | 'figure data' | 'figure table' | 'sample texts'
  readonly section: Section
  readonly title: string
  readonly records: Records
}

export function reportCsv(sections: readonly Section[], folder: string): ReportFile[] {
  const entries = named(itemsOf(sections).flatMap(entriesOf))
  const index = csvText(
    ['file', 'kind', 'section', 'section title', 'title', 'rows', 'columns', 'id'],
    entries.map((entry) => [
      entry.name,
      entry.kind,
      entry.section.id,
      entry.section.title,
      entry.title,
      entry.records.rows.length,
      entry.records.head.length,
      entry.id,
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
      return [
        { id: item.table.id, kind: 'table', section, title: item.table.caption, records: tableRecords(item.table) },
      ]
    case 'exchanges':
      return [
        {
          id: item.id,
          kind: 'sample texts',
          section,
          title: 'Prompts and responses',
          records: exchangeRecords(item.exchanges),
        },
      ]
    case 'figure': {
      const { figure } = item
      const { id, data } = figure
      const title = printedCaption(figure)
      const drawn = { id, kind: 'figure data', section, title, records: chartRecords(figure.chart) } as const
      return data === undefined
        ? [drawn]
        : [drawn, { id: data.id, kind: 'figure table', section, title: data.caption, records: tableRecords(data) }]
    }
  }
}

/** Names in reading order, by what they hold: a caption of the reader's own does not change them. */
function named(entries: readonly Omit<Entry, 'name'>[]): Entry[] {
  const digits = Math.max(2, String(entries.length).length)
  return entries.map((entry, index) => ({
    ...entry,
    name: `${String(index + 1).padStart(digits, '0')}-${entry.id}.csv`,
  }))
}
