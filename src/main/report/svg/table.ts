/** A table as a drawing, ruled as in print: for papers and slides that take figures. Measured by estimate, like the charts. */
import { roleShapes } from '../role-shapes.ts'
import type { Cell, Column, Table } from '../section.ts'
import type { ChartIdentity } from './chart.ts'
import { drawing, element, textAt, textWidth } from './element.ts'
import { smallTextSize } from './marks.ts'

/** Units of a table as wide as two columns (175 mm). */
export const tableWidth = 800
/** A longer table is cut, and says so: its numbers go by CSV. */
export const mostDrawnRows = 400

const gap = 16
const line = 15
const rowPadding = 3
/** Text columns are not squeezed below this. */
const leastText = 90

interface LaidCell {
  readonly lines: readonly string[]
  readonly className: string | undefined
}

/** As wide as its cells need, and wider than two columns only where numbers cannot be broken. */
export function drawTable(table: Table, identity: ChartIdentity): string {
  const shown = table.rows.slice(0, mostDrawnRows)
  const heads = table.columns.map((column) => headOf(column))
  const texts = shown.map(({ cells }) => table.columns.map((_, at) => textOf(cells[at] ?? '')))
  const widths = columnWidths(table.columns, [heads, ...texts])
  const wide = widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1)
  const lefts = widths.map((_, at) => widths.slice(0, at).reduce((sum, width) => sum + width + gap, 0))
  const parts: string[] = []
  const rule = (y: number, className: string) => element('line', { class: className, x1: 0, y1: y, x2: wide, y2: y })
  const write = (cells: readonly LaidCell[], top: number) => {
    cells.forEach((cell, at) => {
      const numeric = table.columns[at]?.numeric === true
      cell.lines.forEach((text, index) => {
        const x = numeric ? lefts[at]! + widths[at]! : lefts[at]!
        const y = top + rowPadding + line * (index + 1) - 4
        parts.push(textAt(x, y, text, { anchor: numeric ? 'end' : 'start', ...named(cell.className) }))
      })
    })
    return top + 2 * rowPadding + line * Math.max(1, ...cells.map(({ lines }) => lines.length))
  }
  let y = 0
  const title = wrapped(table.caption, Math.max(wide, 200))
  title.forEach((text, index) => {
    parts.push(textAt(0, line * (index + 1), text, { className: 'strong' }))
  })
  y = line * title.length + 8
  parts.push(rule(y, 'axis'))
  y = write(
    heads.map((text, at) => ({ lines: wrapped(text, widths[at]!), className: 'strong' })),
    y,
  )
  parts.push(rule(y, 'axis'))
  shown.forEach((row, index) => {
    y = write(
      texts[index]!.map((text, at) => ({
        lines: wrapped(text, widths[at]!),
        className: row.marked === true ? 'strong' : undefined,
      })),
      y,
    )
  })
  parts.push(rule(y, 'axis'))
  const left = table.rows.length - shown.length
  if (left > 0) {
    y += line + rowPadding
    parts.push(textAt(0, y, `${left} more rows are in the data`, { className: 'note' }))
  }
  const height = y + 4
  const outer = Math.max(wide, ...title.map((text) => textWidth(text, smallTextSize)))
  return drawing(identity.id, { width: Math.ceil(outer), height }, identity.title, identity.description, ...parts)
}

const named = (className: string | undefined) => (className === undefined ? {} : { className })

function headOf({ label, role }: Column): string {
  return role === undefined ? label : `${roleShapes[role]}\u00a0${label}`
}

function textOf(cell: Cell): string {
  if (typeof cell === 'string') return cell
  if (cell.kind === 'verdict') return `${cell.good ? '✓' : '✗'} ${cell.text}`
  return cell.text
}

/** Natural widths where they fit; otherwise text columns share what the numbers leave, by what they hold. */
function columnWidths(columns: readonly Column[], rows: readonly (readonly string[])[]): number[] {
  const natural = columns.map((_, at) => Math.ceil(Math.max(8, ...rows.map((row) => measured(row[at] ?? '')))))
  const room = tableWidth - gap * (columns.length - 1)
  const total = natural.reduce((sum, width) => sum + width, 0)
  if (total <= room) return natural
  // A heading breaks at its blanks, a number nowhere.
  const [heads = [], ...cells] = rows
  const unbroken = columns.map(({ numeric }, at) => {
    if (numeric !== true) return natural[at]! <= leastText ? natural[at]! : null
    return Math.ceil(
      Math.max(...(heads[at] ?? '').split(' ').map(measured), ...cells.map((row) => measured(row[at] ?? ''))),
    )
  })
  const left = room - unbroken.reduce<number>((sum, width) => sum + (width ?? 0), 0)
  const broken = natural.reduce((sum, width, at) => sum + (unbroken[at] === null ? width : 0), 0)
  return natural.map((width, at) => unbroken[at] ?? Math.max(leastText, Math.floor((left * width) / broken)))
}

const measured = (text: string): number => textWidth(text, smallTextSize)

/** Lines that fit; a word longer than a line is broken after its punctuation, or anywhere. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let open = ''
  for (const word of text.split(/[ \n\t]+/)) {
    const joined = open === '' ? word : `${open} ${word}`
    if (measured(joined) <= width) {
      open = joined
      continue
    }
    if (open !== '') lines.push(open)
    open = ''
    const parts = word.match(/[^-/_.:]*[-/_.:]?/g) ?? []
    for (const piece of parts.flatMap((part) => (measured(part) <= width ? [part] : [...part]))) {
      if (open !== '' && measured(open + piece) > width) {
        lines.push(open)
        open = ''
      }
      open += piece
    }
  }
  lines.push(open)
  return lines
}
