/**
 * A long list as a table: `j`/`k` move, Enter opens, `x` marks. Only the rows in view are drawn; the table tells a screen
 * reader how many there are.
 */
import { Checkbox } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import classes from './lists.module.css'
import { useRowWindow } from './use-row-window.ts'

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  readonly numeric?: boolean
  /** Takes the width that is left. */
  readonly wide?: boolean
  /** Left out where the list is narrow; the row's own screen has it. */
  readonly spare?: 'first' | 'last'
}

interface Props<Row> {
  readonly name: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Address of a row's own screen. */
  readonly hrefOf: (row: Row) => string
  readonly marked?: ReadonlySet<string>
  readonly onMark?: (key: string) => void
  readonly nameOf: (row: Row) => string
}

const rowHeight = 34

export function RowTable<Row>(props: Props<Row>) {
  const { name, columns, rows, keyOf, hrefOf, marked, onMark, nameOf } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const [at, setAt] = useState(-1)
  const { first, end } = useRowWindow(rows.length, rowHeight, body)
  useRowKeys({
    move: (by) => setAt((was) => Math.max(0, Math.min(rows.length - 1, was + by))),
    open: () => {
      const row = rows[at]
      if (row !== undefined) window.location.hash = hrefOf(row)
    },
    mark: () => {
      const row = rows[at]
      if (row !== undefined) onMark?.(keyOf(row))
    },
  })
  useEffect(() => {
    if (at < 0 || body.current === null) return
    const top = body.current.getBoundingClientRect().top + at * rowHeight
    const above = 96 - top
    const below = top + rowHeight - (window.innerHeight - 24)
    if (above > 0) window.scrollBy({ top: -above })
    else if (below > 0) window.scrollBy({ top: below })
  }, [at])
  const span = columns.length + (onMark === undefined ? 0 : 1)
  return (
    <div className={classes.box}>
      <table className={classes.rows} aria-label={name} aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {onMark !== undefined && (
              <th scope="col">
                <span className="visually-hidden">Marked</span>
              </th>
            )}
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                data-numeric={column.numeric}
                data-wide={column.wide}
                data-spare={column.spare}
              >
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Spacer rows={first} span={span} />
          {rows.slice(first, end).map((row, offset) => {
            const key = keyOf(row)
            return (
              <tr key={key} aria-rowindex={first + offset + 2} data-at={first + offset === at}>
                {onMark !== undefined && (
                  <td className={classes.mark}>
                    <Checkbox
                      size="xs"
                      aria-label={`Mark ${nameOf(row)}`}
                      checked={marked?.has(key) ?? false}
                      onChange={() => onMark(key)}
                    />
                  </td>
                )}
                {columns.map((column, index) => (
                  <td key={column.name} data-numeric={column.numeric} data-wide={column.wide} data-spare={column.spare}>
                    {index === 0 ? (
                      <a className={classes.open} href={hrefOf(row)}>
                        {column.cell(row)}
                      </a>
                    ) : (
                      column.cell(row)
                    )}
                  </td>
                ))}
              </tr>
            )
          })}
          <Spacer rows={rows.length - end} span={span} />
        </tbody>
      </table>
    </div>
  )
}

function Spacer({ rows, span }: { readonly rows: number; readonly span: number }) {
  if (rows === 0) return null
  return (
    <tr className={classes.spacer}>
      <td colSpan={span} style={{ height: rows * rowHeight }} />
    </tr>
  )
}

interface RowKeys {
  readonly move: (by: number) => void
  readonly open: () => void
  readonly mark: () => void
}

function useRowKeys(keys: RowKeys) {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      if (target.closest('input:not([type="checkbox"]), textarea, select, [role="dialog"]') !== null) return
      if (event.key === 'j') latest.current.move(1)
      else if (event.key === 'k') latest.current.move(-1)
      else if (event.key === 'x') latest.current.mark()
      else if (event.key === 'Enter' && target.closest('a, button') === null) latest.current.open()
    }
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
}
