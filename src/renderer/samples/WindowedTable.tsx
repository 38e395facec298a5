/** A table of any length: only rows in view are drawn, one is selected, and keys move the selection. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import classes from './samples.module.css'
import { visibleRows } from './visible-rows.ts'

export interface TableColumn<Row> {
  readonly label: string
  /** Said in full where the label is short. */
  readonly title?: string
  /** CSS width; one column without takes what is left. */
  readonly width?: number
  readonly numeric?: boolean
  readonly cell: (row: Row) => ReactNode
}

interface Props<Row> {
  readonly name: string
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
  readonly selected: string | null
  readonly onSelect: (id: string) => void
  readonly onOpen?: (id: string) => void
  readonly height: number
}

const rowHeight = 30

export function WindowedTable<Row>({ name, columns, rows, idOf, selected, onSelect, onOpen, height }: Props<Row>) {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const { from, to } = visibleRows(rows.length, rowHeight, top, height)
  const index = selected === null ? -1 : rows.findIndex((row) => idOf(row) === selected)
  useEffect(() => {
    const view = box.current
    if (view === null || index < 0) return
    const above = index * rowHeight
    const room = view.clientHeight - rowHeight * 2
    if (above < view.scrollTop) view.scrollTop = above
    else if (above > view.scrollTop + room) view.scrollTop = above - room
  }, [index])
  return (
    <section
      ref={box}
      className={classes.window}
      style={{ maxHeight: height }}
      aria-label={name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <table className={classes.table} aria-rowcount={rows.length + 1}>
        <colgroup>
          {columns.map((column) => (
            <col key={column.label} style={column.width === undefined ? {} : { width: column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" title={column.title} data-numeric={column.numeric}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={from} columns={columns.length} />
          {rows.slice(from, to).map((row, at) => {
            const id = idOf(row)
            return (
              <tr
                key={id}
                aria-rowindex={from + at + 2}
                aria-selected={id === selected}
                data-id={id}
                onClick={() => onSelect(id)}
                onDoubleClick={() => onOpen?.(id)}
              >
                {columns.map((column) => (
                  <td key={column.label} data-numeric={column.numeric}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            )
          })}
          <Spacer rows={rows.length - to} columns={columns.length} />
        </tbody>
      </table>
    </section>
  )
}

function Spacer({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  if (rows <= 0) return null
  return (
    <tr className={classes.spacer}>
      <td colSpan={columns} style={{ height: rows * rowHeight }} />
    </tr>
  )
}
