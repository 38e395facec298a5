/** Tables: a caption, scoped headings, numbers with their exact value beside what is written, each in a box that scrolls. */
import { roleShapes } from '../role-shapes.ts'
import type { Cell, Column, ReportTable } from '../section.ts'
import { element } from '../svg/element.ts'
import { textOf } from './text.ts'

/** Captions up to this length stay on one line, and tables up to this many rows on one printed page. */
const shortCaption = 64
const shortTable = 16

/** In a box that has the table's id. */
export function reportTable(table: ReportTable): string {
  return element(
    'div',
    {
      id: table.id,
      class: table.rows.length <= shortTable ? 'scroll whole' : 'scroll',
      role: 'region',
      'aria-label': table.caption,
      tabindex: '0',
    },
    element(
      'table',
      {},
      element('caption', { class: table.caption.length <= shortCaption ? 'line' : undefined }, textOf(table.caption)),
      element('thead', {}, element('tr', {}, ...table.columns.map(heading))),
      element(
        'tbody',
        {},
        ...table.rows.map((row) =>
          element(
            'tr',
            { class: row.marked === true ? 'marked' : undefined },
            ...row.cells.map((cell, index) => {
              const numeric = table.columns[index]?.numeric === true
              const className = numeric ? 'numeric' : undefined
              return index === 0
                ? element('th', { scope: 'row', class: className }, cellOf(cell))
                : element('td', { class: className }, cellOf(cell))
            }),
          ),
        ),
      ),
    ),
  )
}

function heading(column: Column): string {
  const classes = [column.numeric === true ? 'numeric' : '', column.role === undefined ? '' : `role-${column.role}`]
  const shape =
    column.role === undefined
      ? ''
      : `${element('span', { class: 'shape', 'aria-hidden': 'true' }, roleShapes[column.role])} `
  return element(
    'th',
    { scope: 'col', class: classes.filter(Boolean).join(' ') || undefined },
    shape,
    textOf(column.label),
  )
}

export function cellOf(cell: Cell): string {
  if (typeof cell === 'string') return textOf(cell)
  switch (cell.kind) {
    case 'number':
      return cell.value === null ? textOf(cell.text) : element('data', { value: String(cell.value) }, textOf(cell.text))
    case 'verdict':
      return element(
        'span',
        { class: `verdict ${cell.good ? 'good' : 'bad'}` },
        cell.good ? '✓ ' : '✗ ',
        textOf(cell.text),
      )
    case 'code':
      return element('code', { class: 'hash' }, textOf(cell.text))
  }
}
