/** Plain-text tables: numbers to the right, text to the left, two spaces between columns. */
import { stripVTControlCharacters } from 'node:util'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => string
  readonly align?: 'left' | 'right'
}

/** Terminal cells that `text` takes, leaving out colour codes. */
function width(text: string): number {
  return [...stripVTControlCharacters(text)].length
}

function pad(text: string, cells: number, align: 'left' | 'right'): string {
  const room = ' '.repeat(Math.max(0, cells - width(text)))
  return align === 'right' ? room + text : text + room
}

export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = rows.map((row) => columns.map((column) => column.cell(row)))
  const widths = columns.map((column, at) => Math.max(width(column.title), ...cells.map((row) => width(row[at] ?? ''))))
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => pad(text, widths[at] ?? 0, columns[at]?.align ?? 'left'))
      .join('  ')
      .trimEnd()
  return [
    line(columns.map(({ title }) => title)),
    line(widths.map((cell) => '─'.repeat(cell))),
    ...cells.map(line),
  ].join('\n')
}

/** Names and values, one a line, values aligned. */
export function facts(entries: readonly (readonly [string, string])[]): string {
  const widest = Math.max(0, ...entries.map(([name]) => width(name)))
  return entries.map(([name, value]) => `${pad(name, widest, 'left')}  ${value}`).join('\n')
}
