/** A table as reports hold it, drawn as it stands, with the corner menu of every table. */
import { integer } from '../../main/report/number-text.ts'
import type { Cell, Table } from '../../main/report/section.ts'
import { CornerMenu, exportableTable } from '../charts/index.ts'
import { Wide } from '../parts/index.ts'
import classes from './tables.module.css'

interface Props {
  readonly name: string
  readonly table: Table
  readonly note?: string
  readonly study?: string | undefined
  /** Section, figure or table of the study's report that holds these numbers. */
  readonly reportAt?: string | undefined
  /** The row that is open, by its place, and what opens one. */
  readonly selected?: number | null
  readonly onSelect?: (row: number) => void
  /** Rows that are drawn; the corner menu saves them all. */
  readonly most?: number
}

export function PlainTable({ name, table, note, study, reportAt, selected = null, onSelect, most = 500 }: Props) {
  const more = table.rows.length - most
  return (
    <>
      <div className={classes.tableHead}>
        <h3>{table.caption}</h3>
        {note !== undefined && <span>{note}</span>}
        {more > 0 && (
          <span>{`The first ${integer(most)} of ${integer(table.rows.length)} rows; the menu has all.`}</span>
        )}
        <CornerMenu exportable={exportableTable(name, table, study, reportAt)} />
      </div>
      <Wide name={table.caption}>
        <table className={classes.plain} aria-label={table.caption}>
          <thead>
            <tr>
              {table.columns.map((column) => (
                <th key={column.label} scope="col" data-numeric={column.numeric}>
                  {column.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.slice(0, most).map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
              <tr key={at} data-selected={selected === at}>
                {table.columns.map((column, to) => (
                  <td key={column.label} data-numeric={column.numeric} data-short={words(row.cells[to]).length <= 18}>
                    {to === 0 && onSelect !== undefined ? (
                      <button type="button" aria-pressed={selected === at} onClick={() => onSelect(at)}>
                        {words(row.cells[to])}
                      </button>
                    ) : (
                      words(row.cells[to])
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </>
  )
}

const words = (cell: Cell | undefined): string =>
  cell === undefined ? '' : typeof cell === 'string' ? cell : cell.text
