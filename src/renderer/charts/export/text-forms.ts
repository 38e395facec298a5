/** Records as text: for a spreadsheet's clipboard, a file of comma-separated values, a paper's table. */
import { csvText, inert } from '../../../main/report/csv/records.ts'
import type { Records } from '../../../main/report/csv/table-records.ts'
import { texWriter } from '../../../main/report/latex/escape.ts'
import type { Cell, Table } from '../../../main/report/section.ts'

/** Tabs between fields, one record a line; tabs and line ends inside a field become blanks, formulas plain text. */
export function tabbed(records: Records): string {
  const field = (value: string | number | null) =>
    typeof value === 'string' ? inert(value.replace(/[\t\r\n]+/g, ' ')) : String(value ?? '')
  return [records.head, ...records.rows].map((row) => row.map(field).join('\t')).join('\n')
}

export function csv(records: Records): string {
  return csvText(records.head, records.rows)
}

/** A table with booktabs rules that needs nothing else of its document. */
export function latex(table: Table, label: string): string {
  const { text } = texWriter()
  const cells = table.rows.map((row) => table.columns.map((_, at) => text(words(row.cells[at] ?? ''))).join(' & '))
  return [
    '% needs \\usepackage{booktabs,amssymb}',
    // What texts may hold besides letters, as the report's own documents have it.
    '\\providecommand{\\straightquote}{\\texttt{\\char34}}',
    '\\providecommand{\\charcode}[1]{\\texttt{{[}U+#1{]}}}',
    '\\begin{table}',
    '\\centering',
    `\\caption{${text(table.caption)}}`,
    `\\label{tab:${label.replace(/[^a-z0-9-]/gi, '-')}}`,
    `\\begin{tabular}{@{}${table.columns.map(({ numeric }) => (numeric === true ? 'r' : 'l')).join('')}@{}}`,
    '\\toprule',
    `${table.columns.map((column) => text(column.label)).join(' & ')} \\\\`,
    '\\midrule',
    ...cells.map((row) => `${row} \\\\`),
    '\\bottomrule',
    '\\end{tabular}',
    '\\end{table}',
    '',
  ].join('\n')
}

function words(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text
}
