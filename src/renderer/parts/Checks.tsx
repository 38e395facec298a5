/** Named checks with their figures, failures first. */
import type { Check } from '../../shared/study-document.ts'
import classes from './parts.module.css'
import { Status } from './Status.tsx'

const order: Readonly<Record<Check['status'], number>> = { failed: 0, warning: 1, ok: 2 }

export function Checks({ checks, name }: { readonly checks: readonly Check[]; readonly name: string }) {
  const sorted = checks.toSorted((a, b) => order[a.status] - order[b.status])
  return (
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
  )
}
