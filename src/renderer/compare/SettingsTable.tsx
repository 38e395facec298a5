/** What differs between the runs, and nothing else. */
import { Title } from '@mantine/core'
import type { Table } from '../../main/report/section.ts'
import type { RunView } from '../../shared/ipc.ts'
import { CornerMenu, exportableTable } from '../charts/menu.ts'
import { Wide } from '../parts/index.ts'
import { setting } from '../words/index.ts'
import classes from './compare.module.css'
import { differingSettings } from './compared.ts'
import { letter } from './run-letters.ts'

export function SettingsTable({ views }: { readonly views: readonly RunView[] }) {
  const differing = differingSettings(views)
  const said = (value: unknown) => (value === undefined || value === null ? '—' : setting(value))
  const table: Table = {
    caption: 'Settings that differ',
    columns: [{ label: 'Setting' }, ...views.map((_, index) => ({ label: letter(index), numeric: true }))],
    rows: differing.map(({ name, values }) => ({ cells: [name, ...values.map(said)] })),
  }
  return (
    <>
      <div className={classes.section}>
        <Title order={2}>What differs</Title>
        <CornerMenu exportable={exportableTable('differing-settings', table)} />
      </div>
      {differing.length === 0 ? (
        <p className={classes.note}>
          {views.length === 1
            ? 'One run differs from nothing; add another.'
            : 'Nothing: same settings, data, base model, device and code.'}
        </p>
      ) : (
        <Wide name="Settings that differ">
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">setting</th>
                {views.map(({ run }, index) => (
                  <th key={run.run_id} scope="col" data-numeric="true">
                    {letter(index)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {differing.map(({ name, values }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {views.map(({ run }, index) => (
                    <td key={run.run_id} data-numeric="true">
                      {said(values[index])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Wide>
      )}
    </>
  )
}
