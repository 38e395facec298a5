/** Named checks with their figures, failures first. */

import type { Check } from '../../shared/study-document.ts'
import { exportableTable, TableHead } from '../charts/menu.ts'
import classes from './parts.module.css'
import { Status } from './Status.tsx'

const order: Readonly<Record<Check['status'], number>> = { failed: 0, warning: 1, ok: 2 }

interface Props {
  readonly checks: readonly Check[]
  readonly name: string
  /** Where a report holds them, if one does. */
  readonly report?: { readonly study: string; readonly at: string }
}

export function Checks({ checks, name, report }: Props) {
  const sorted = checks.toSorted((a, b) => order[a.status] - order[b.status])
  const table = {
    caption: name,
    columns: [{ label: 'State' }, { label: 'Check' }, { label: 'Detail' }],
    rows: sorted.map(({ status, name: what, detail }) => ({ cells: [status, what, detail] })),
  }
  return (
    <div>
      <TableHead exportable={exportableTable(name.toLowerCase(), table, report?.study, report?.at)} />
      <table className={classes.checks} aria-label={name}>
        <tbody>
          {sorted.map((check) => (
            <tr key={check.name}>
              <td>
                <Status status={check.status} />
              </td>
              <th scope="row">{check.name}</th>
              <td>{check.detail}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
