/** What stands around every chart: title, honest notes, the corner menu, and the numbers behind it as a table. */
import { type ReactNode, useId, useState } from 'react'
import { CornerMenu } from './CornerMenu.tsx'
import './charts.css'
import { DataTable } from './DataTable.tsx'
import type { Exportable } from './export/exportable.ts'

export interface ChartFrameProps {
  readonly exportable: Exportable
  /** Short facts about the drawing: what was reduced, smoothed or left out. */
  readonly notes?: readonly ChartNote[]
  readonly caption?: string
  readonly children: ReactNode
}

export interface ChartNote {
  readonly text: string
  readonly warning?: boolean
}

export function ChartFrame({ exportable, notes = [], caption, children }: ChartFrameProps) {
  const id = useId()
  const [table, setTable] = useState(false)
  return (
    <figure className="chart-frame" aria-labelledby={id} data-chart={exportable.name}>
      <div className="chart-head">
        <h3 className="chart-title" id={id}>
          {exportable.title}
        </h3>
        <div className="chart-notes">
          {notes.map((note) => (
            <span key={note.text} className={note.warning === true ? 'warning' : undefined}>
              {note.text}
            </span>
          ))}
        </div>
        <CornerMenu exportable={exportable} table={table} onTable={setTable} />
      </div>
      {children}
      {caption !== undefined && <figcaption>{caption}</figcaption>}
      {table && <DataTable caption={`Numbers of “${exportable.title}”`} records={exportable.records()} />}
    </figure>
  )
}
