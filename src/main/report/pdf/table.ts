/** Tables ruled as in print. A table longer than its page goes on with its heads repeated; a row stays whole if it can. */
import type { Table } from '../section.ts'
import { block, colour, type Flow, need, nextPage, pageHeight, space, styles, writeLines } from './flow.ts'
import type { Paper } from './paper.ts'
import { type LaidRow, type LaidTable, layTable, rowSpace, tableHeight } from './table-layout.ts'

/** Tables up to this many rows stay on one page. */
const shortTable = 20
const gutter = 14
const half = (block.width - gutter) / 2

export function writeTable(flow: Flow, table: Table): void {
  flow.tables += 1
  const laid = layTable(flow.paper, table, flow.tables, block)
  space(flow, 9)
  need(flow, startHeight(flow.paper, laid))
  writeLaid(flow, laid)
}

/** Small tables: two in a row where both fit half the page, one below the other where not. */
export function writeTables(flow: Flow, tables: readonly Table[]): void {
  for (let index = 0; index < tables.length; index += 1) {
    const pair = pairOf(flow.paper, tables.slice(index, index + 2), flow.tables)
    if (pair === null) {
      writeTable(flow, tables[index]!)
      continue
    }
    flow.tables += 2
    index += 1
    space(flow, 9)
    need(flow, pair.height)
    const top = flow.y
    let end = top
    for (const laid of pair.tables) {
      flow.y = top
      writeLaid(flow, laid)
      end = Math.max(end, flow.y)
    }
    flow.y = end
  }
}

/** What must stand on one page for the table to begin there: all of a short one, the first rows of a long one. */
export function tableStart(paper: Paper, table: Table): number {
  return startHeight(paper, layTable(paper, table, 1, block))
}

export function tablesStart(paper: Paper, tables: readonly Table[]): number {
  const [first] = tables
  return pairOf(paper, tables.slice(0, 2), 0)?.height ?? (first === undefined ? 0 : tableStart(paper, first))
}

function pairOf(paper: Paper, tables: readonly Table[], numbered: number) {
  const laid = tables.map((table, index) =>
    layTable(paper, table, numbered + index + 1, { left: block.left + index * (half + gutter), width: half }),
  )
  const height = Math.max(...laid.map((one) => tableHeight(paper, one)))
  // A cell on a second line: the table wants the whole width.
  const cramped = laid.some((one) =>
    [one.head, ...one.rows].some((row) => row.cells.some((cell) => cell.lines.length > 1)),
  )
  return laid.length < 2 || cramped || height > pageHeight ? null : { tables: laid, height }
}

function startHeight(paper: Paper, laid: LaidTable): number {
  const whole = tableHeight(paper, laid)
  if (laid.rows.length <= shortTable && whole <= pageHeight) return whole
  const rows = laid.rows.slice(0, 3)
  return (
    laid.caption.length * paper.lineHeight(styles.caption.size) +
    laid.head.height +
    rows.reduce((sum, row) => sum + Math.min(row.height, 60), 0) +
    10
  )
}

function writeLaid(flow: Flow, laid: LaidTable): void {
  writeLines(flow, laid.caption, styles.caption, laid.left)
  flow.y += 3
  writeHead(flow, laid)
  laid.rows.forEach((row, index) => {
    const left = laid.rows.length - index
    // The last two rows stay together, so that no page holds a head and one lonely row.
    const together = left === 2 ? row.height + laid.rows[index + 1]!.height : row.height
    if (flow.y + Math.min(together, pageHeight) > block.bottom) turnPage(flow, laid)
    writeRow(flow, laid, row)
  })
  rule(flow, laid, 0.9)
  flow.y += 4
}

function turnPage(flow: Flow, laid: LaidTable): void {
  rule(flow, laid, 0.4)
  nextPage(flow)
  writeHead(flow, laid)
}

function writeHead(flow: Flow, laid: LaidTable): void {
  rule(flow, laid, 0.9)
  flow.y += 1.5
  writeRow(flow, laid, laid.head)
  rule(flow, laid, 0.5)
  flow.y += 1.5
}

/** A row taller than a whole page goes on, line by line, on the next. */
function writeRow(flow: Flow, laid: LaidTable, row: LaidRow): void {
  const height = flow.paper.lineHeight(styles.cell.size)
  const count = Math.max(...row.cells.map((cell) => cell.lines.length), 1)
  if (row.marked)
    flow.paper.doc
      .rect(laid.left - 3, flow.y, laid.width + 6, Math.min(row.height, block.bottom - flow.y))
      .fill(colour('panel'))
  flow.y += rowSpace / 2
  for (let index = 0; index < count; index++) {
    if (flow.y + height > block.bottom + rowSpace) {
      rule(flow, laid, 0.4)
      nextPage(flow)
      if (row !== laid.head) writeHead(flow, laid)
    }
    row.cells.forEach((cell, at) => {
      const line = cell.lines[index]
      const place = laid.columns[at]
      if (line === undefined || line === '' || place === undefined) return
      const shift = place.right ? place.width - flow.paper.width(cell.style.font, cell.style.size, line) : 0
      const drop = ((styles.cell.size - cell.style.size) * 1.36) / 2
      flow.paper.line(line, place.left + shift, flow.y + drop, cell.style)
    })
    flow.y += height
  }
  flow.y += rowSpace / 2
}

function rule(flow: Flow, laid: LaidTable, weight: number): void {
  flow.paper.doc
    .moveTo(laid.left, flow.y)
    .lineTo(laid.left + laid.width, flow.y)
    .lineWidth(weight)
    .strokeColor(colour('ink'))
    .stroke()
}
