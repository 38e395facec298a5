/** What stands over a table: words on the left, the corner menu on the right. */
import type { ReactNode } from 'react'
import { CornerMenu } from './CornerMenu.tsx'
import './charts.css'
import type { Exportable } from './export/exportable.ts'

interface Props {
  readonly exportable: Exportable
  readonly children?: ReactNode
}

export function TableHead({ exportable, children }: Props) {
  return (
    <div className="table-head">
      <div>{children}</div>
      <CornerMenu exportable={exportable} />
    </div>
  )
}
