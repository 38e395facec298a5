/** Tables with booktabs rules, as longtables: they break across pages under repeated heads, and short ones stay whole. */
import { roleShapes } from '../role-shapes.ts'
import type { Cell, Column, Table } from '../section.ts'
import type { TexWriter } from './escape.ts'

/** Tables up to this many rows stay on one page. */
const shortTable = 20
/** A digit is wider than the average letter. */
const digitWidth = 1.16
/** Longer words give way to other columns. */
const longestPart = 26
/** Characters that fit the text block at the tables' size, less what columns keep between them. */
const lineOf = (columns: number) => 128 - 2.6 * columns

export function texTable(tex: TexWriter, table: Table): string {
  const heads = table.columns.map((column) => headOf(tex, column)).join(' & ')
  const whole = table.rows.length <= shortTable
  const rows = table.rows.map((row, index) => {
    const cells = table.columns.map((_, at) => cellOf(tex, row.cells[at] ?? ''))
    const colour = row.marked === true ? '\\rowcolor{panel}' : ''
    // A star keeps the next row on the same page: all of a short table, the first and last rows of a long one.
    const tied = whole || index === 0 || index >= table.rows.length - 2
    return `${colour}${cells.join(' & ')} \\\\${tied ? '*' : ''}`
  })
  const head = `\\toprule\n${heads} \\\\*\n\\midrule`
  return [
    `\\needroom{${tableRoom(table)}mm}`,
    `{\\tablesize\\begin{longtable}[l]{@{}${specification(table)}@{}}`,
    `\\caption{${tex.text(table.caption)}} \\\\*`,
    `${head}\n\\endfirsthead`,
    `${head}\n\\endhead`,
    '\\midrule\n\\endfoot\n\\bottomrule\n\\endlastfoot',
    ...rows,
    '\\end{longtable}}',
  ].join('\n')
}

/** Millimetres that must be left on a page for the table to begin there. */
export function tableRoom(table: Table): number {
  return 14 + 4 * (table.rows.length <= shortTable ? table.rows.length : 4)
}

function headOf(tex: TexWriter, column: Column): string {
  const label = `\\textbf{${tex.text(column.label)}}`
  if (column.role === undefined) return label
  const colour = column.role === 'neutral' ? 'ink' : column.role
  return `\\textcolor{${colour}}{${tex.text(roleShapes[column.role])}~${label}}`
}

export function cellOf(tex: TexWriter, cell: Cell): string {
  if (typeof cell === 'string') return tex.text(cell)
  switch (cell.kind) {
    case 'number':
      return tex.text(cell.text)
    case 'verdict':
      return `\\textcolor{${cell.good ? 'good' : 'bad'}}{${tex.text(`${cell.good ? '✓' : '✗'} ${cell.text}`)}}`
    case 'code':
      return tex.code(cell.text)
  }
}

/** Natural columns where the longest cells fit one line; otherwise paragraphs of at least their longest word. */
function specification(table: Table): string {
  const numeric = (index: number) => table.columns[index]?.numeric === true
  const natural: number[] = []
  const least: number[] = []
  table.columns.forEach((column, index) => {
    const head = column.role === undefined ? [column.label] : [`${roleShapes[column.role]}\u00a0${column.label}`]
    const words = head.flatMap((text) => text.split(' ')).map((word) => word.length * 1.2)
    const cells = table.rows.map((row) => row.cells[index] ?? '')
    natural.push(
      Math.max(
        ...head.map((text) => text.length * 1.2),
        ...cells.map((cell) => lengthOf(cell) * (numeric(index) ? digitWidth : 1)),
      ) + 0.5,
    )
    // A number is not broken at its spaces.
    const parts = cells.flatMap((cell) => (numeric(index) ? [lengthOf(cell) * digitWidth] : wordLengths(cell)))
    least.push(Math.min(longestPart, Math.max(...words, ...parts, 1)) + 0.5)
  })
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const line = lineOf(natural.length)
  if (sum(natural) <= line) return natural.map((_, index) => (numeric(index) ? 'r' : 'l')).join('')
  const scale = Math.min(1, line / sum(least))
  const wish = natural.map((length, index) => Math.sqrt(Math.max(0, length - least[index]!)))
  const spare = Math.max(0, line - sum(least))
  const usable = 0.99 - 0.0165 * (natural.length - 1)
  return least
    .map((length, index) => {
      const share = (length * scale + (sum(wish) === 0 ? 0 : (spare * wish[index]!) / sum(wish))) / line
      const side = numeric(index) ? '\\raggedleft' : '\\raggedright'
      return `>{${side}\\arraybackslash}p{${(share * usable).toFixed(4)}\\linewidth}`
    })
    .join('')
}

function wordLengths(cell: Cell): number[] {
  if (typeof cell !== 'string' && cell.kind === 'code') return [10]
  const text = typeof cell === 'string' ? cell : cell.text
  return text.split(/[ \n]/).map((word) => (word.length > 18 ? 14 : word.length * 1.05))
}

function lengthOf(cell: Cell): number {
  if (typeof cell === 'string') return [...cell].length
  return [...cell.text].length * (cell.kind === 'code' ? 1.25 : 1) + (cell.kind === 'verdict' ? 2 : 0)
}
