/** A table measured for paper: the width of each column, the lines of each cell, the height of each row. */
import { roleShapes } from '../role-shapes.ts'
import type { Cell, Column, Table } from '../section.ts'
import { colour, styles } from './flow.ts'
import { spaced, wrap } from './lines.ts'
import type { Paper, TextStyle } from './paper.ts'

const between = 7.5
export const rowSpace = 3.2
const codeStyle: TextStyle = { font: 'mono', size: 6.4, colour: colour('ink') }

/** Where a table may stand across the page. */
export interface Span {
  readonly left: number
  readonly width: number
}

export interface Placed {
  readonly left: number
  readonly width: number
  readonly right: boolean
}

export interface LaidRow {
  readonly cells: readonly { readonly lines: readonly string[]; readonly style: TextStyle }[]
  readonly height: number
  readonly marked: boolean
}

export interface LaidTable {
  readonly left: number
  readonly caption: readonly string[]
  readonly columns: readonly Placed[]
  readonly width: number
  readonly head: LaidRow
  readonly rows: readonly LaidRow[]
}

export function layTable(paper: Paper, table: Table, number: number, span: Span): LaidTable {
  const heads = table.columns.map(headOf)
  const texts = table.rows.map((row) => table.columns.map((_, index) => textOf(row.cells[index] ?? '')))
  const widths = columnWidths(paper, heads, texts, span.width, table.columns)
  let left = span.left
  const columns = widths.map((width, index): Placed => {
    const placed = { left, width, right: table.columns[index]?.numeric === true }
    left += width + between
    return placed
  })
  const lay = (cells: readonly StyledText[], marked: boolean): LaidRow => {
    const laid = cells.map((cell, index) => ({
      lines: wrap(paper, cell.style.font, cell.style.size, cell.text, widths[index]!),
      style: cell.style,
    }))
    const height = Math.max(...laid.map((cell) => cell.lines.length * paper.lineHeight(styles.cell.size)), 0)
    return { cells: laid, height: height + rowSpace, marked }
  }
  return {
    left: span.left,
    caption: wrap(paper, 'body', styles.caption.size, `Table ${number}. ${table.caption}`, span.width),
    columns,
    width: Math.max(left - between - span.left, 60),
    head: lay(heads, false),
    rows: texts.map((row, index) => lay(row, table.rows[index]?.marked === true)),
  }
}

interface StyledText {
  readonly text: string
  readonly style: TextStyle
}

function headOf(column: Column): StyledText {
  return column.role === undefined
    ? { text: column.label, style: styles.head }
    : {
        text: `${roleShapes[column.role]} ${column.label}`,
        style: { ...styles.head, colour: colour(column.role === 'neutral' ? 'ink' : column.role) },
      }
}

function textOf(cell: Cell): StyledText {
  if (typeof cell === 'string') return { text: cell, style: styles.cell }
  switch (cell.kind) {
    case 'number':
      return { text: cell.text, style: styles.cell }
    case 'verdict':
      return {
        text: `${cell.good ? '✓' : '✗'} ${cell.text}`,
        style: { ...styles.cell, colour: colour(cell.good ? 'good' : 'bad') },
      }
    case 'code':
      return { text: cell.text, style: codeStyle }
  }
}

/** As wide as the contents where they fit; otherwise each its longest word and a share of what is left. */
function columnWidths(
  paper: Paper,
  heads: readonly StyledText[],
  rows: readonly (readonly StyledText[])[],
  width: number,
  columns: readonly Column[],
): number[] {
  const available = width - between * (heads.length - 1)
  const most = available * Math.max(0.2, 0.9 / heads.length)
  // A number is not broken at its spaces; only its head is.
  const parts = (line: string, index: number, row: number) =>
    row > 0 && columns[index]?.numeric === true ? [line] : line.split(' ')
  const natural = heads.map(() => 1)
  const least = heads.map(() => 1)
  for (const [at, row] of [heads, ...rows].entries())
    row.forEach(({ text, style }, index) => {
      const measure = (part: string) =>
        paper.width(style.font, style.size, paper.shown(style.font, spaced(part))) + 0.01
      for (const line of text.split(/[\r\n]+/)) {
        natural[index] = Math.max(natural[index]!, measure(line))
        for (const word of parts(line, index, at)) least[index] = Math.max(least[index]!, Math.min(measure(word), most))
      }
    })
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  if (sum(natural) <= available) return natural
  const scale = Math.min(1, available / sum(least))
  const narrow = least.map((width) => width * scale)
  const wish = natural.map((width, index) => Math.sqrt(Math.max(0, width - narrow[index]!)))
  const spare = available - sum(narrow)
  return narrow.map((width, index) => width + (sum(wish) === 0 ? 0 : (spare * wish[index]!) / sum(wish)))
}

/** All of it, with the space its rules take. */
export function tableHeight(paper: Paper, laid: LaidTable): number {
  const rows = laid.rows.reduce((sum, row) => sum + row.height, 0)
  return laid.caption.length * paper.lineHeight(styles.caption.size) + laid.head.height + rows + 10
}
