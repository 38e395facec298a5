/** What a chart or a table can be taken away as; made only when asked for. */
import { chartRecords } from '../../../main/report/csv/chart-records.ts'
import type { Field } from '../../../main/report/csv/records.ts'
import { type Records, tableRecords } from '../../../main/report/csv/table-records.ts'
import { significant } from '../../../main/report/number-text.ts'
import { type Cell, type Table, written } from '../../../main/report/section.ts'
import type { Chart } from '../../../main/report/svg/chart.ts'
import type { Stroke } from '../strokes.ts'

export interface Exportable {
  /** Stem of the files' names. */
  readonly name: string
  readonly title: string
  readonly caption: string
  readonly records: () => Records
  readonly table: () => Table
  /** Null for what is drawn as its table. */
  readonly drawing: { readonly chart: Chart; readonly strokes?: readonly Stroke[] } | null
  /** Which report holds it, and where: a section, figure or table. Without a place no report does. */
  readonly report?: { readonly study: string; readonly at?: string | undefined }
}

export function exportableChart(
  chart: Chart,
  told: {
    readonly name: string
    readonly title: string
    readonly caption?: string | undefined
    readonly strokes?: readonly Stroke[] | undefined
    readonly study?: string | undefined
    readonly reportAt?: string | undefined
  },
): Exportable {
  const caption = told.caption ?? told.title
  return {
    name: told.name,
    title: told.title,
    caption,
    records: () => chartRecords(chart),
    table: () => tableOf(caption, chartRecords(chart)),
    drawing: told.strokes === undefined ? { chart } : { chart, strokes: told.strokes },
    ...inReport(told.study, told.reportAt),
  }
}

/** @param reportAt section, figure or table of the study's report that holds these numbers */
export function exportableTable(name: string, table: Table, study?: string, reportAt?: string): Exportable {
  return {
    name,
    title: table.caption,
    caption: table.caption,
    records: () => tableRecords(table),
    table: () => table,
    drawing: null,
    ...inReport(study, reportAt),
  }
}

function inReport(study: string | undefined, at: string | undefined): Pick<Exportable, 'report'> {
  return study === undefined ? {} : { report: { study, at } }
}

/** Records as a table for readers: three significant digits. */
export function tableOf(caption: string, records: Records): Table {
  return {
    caption,
    columns: records.head.map((label, column) => ({
      label,
      numeric: records.rows.some((row) => typeof row[column] === 'number'),
    })),
    rows: records.rows.map((row) => ({ cells: row.map(cellOf) })),
  }
}

function cellOf(field: Field): Cell {
  if (field === null) return '—'
  if (typeof field === 'string') return field
  return written(field, Number.isInteger(field) ? String(field) : significant(field))
}
