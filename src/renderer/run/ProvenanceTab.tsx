/** Where the run's numbers come from: code, data, parents and hashes. */
import { code, type Table } from '../../main/report/section.ts'
import type { RunView } from '../../shared/ipc.ts'
import { CornerMenu, exportableTable } from '../charts/index.ts'
import { Hash } from '../parts/index.ts'
import { reportPlaces } from '../reports/report-places.ts'
import { Link } from '../routes/index.ts'
import { provenanceRows } from './provenance-rows.ts'
import classes from './run.module.css'

export function ProvenanceTab({ view }: { readonly view: RunView }) {
  const rows = provenanceRows(view)
  const table: Table = {
    caption: 'Provenance of the run',
    columns: [{ label: 'Fact' }, { label: 'Value' }],
    rows: rows.map(({ name, value, kind }) => ({ cells: [name, kind === 'text' ? value : code(value)] })),
  }
  return (
    <>
      <div className={classes.tableHead}>
        <span>Everything that decided these numbers; hashes are SHA-256, a click copies them.</span>
        <CornerMenu
          exportable={exportableTable('provenance', table, view.study_id ?? undefined, reportPlaces.provenance)}
        />
      </div>
      <table className={classes.settings}>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td>
                {row.kind === 'hash' ? (
                  <Hash value={row.value} of={row.name} />
                ) : row.kind === 'run' ? (
                  <Link to={{ screen: 'run', run: row.value }}>{row.value}</Link>
                ) : (
                  row.value
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
