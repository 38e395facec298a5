/** Every setting of the run, and what differs from its preset or from a parent. */
import { NativeSelect, Switch } from '@mantine/core'
import { useState } from 'react'
import { code, type Table, written } from '../../main/report/section.ts'
import type { RunView } from '../../shared/ipc.ts'
import { useAnswer } from '../bridge/index.ts'
import { CornerMenu, exportableTable } from '../charts/index.ts'
import { Wide } from '../parts/index.ts'
import { reportPlaces } from '../reports/report-places.ts'
import { setting } from '../words/index.ts'
import { type Against, type ConfigRow, configRows, isPreset } from './config-rows.ts'
import classes from './run.module.css'

export function ConfigTab({ view }: { readonly view: RunView }) {
  const { run, preset } = view
  const choices = [
    ...(isPreset(preset) ? [{ value: 'preset', label: `preset “${preset}”` }] : []),
    ...run.parents.map((parent) => ({ value: parent.run_id, label: `parent “${parent.role}”` })),
  ]
  const [chosen, choose] = useState(choices[0]?.value ?? '')
  const [only, showOnly] = useState(false)
  const parent = useAnswer('runs.show', chosen === '' || chosen === 'preset' ? null : { run_id: chosen })
  const against: Against =
    chosen === 'preset' && isPreset(preset)
      ? { kind: 'preset', name: preset, stage: run.stage }
      : { kind: 'run', config: parent.value?.run.config ?? run.config }
  const rows = configRows(run.config, against)
  const differing = rows.filter((row) => row.differs)
  const other = choices.find(({ value }) => value === chosen)?.label ?? 'nothing'
  const shown = only ? differing : rows
  return (
    <>
      <div className={classes.tableHead}>
        <div style={{ display: 'flex', gap: 18, alignItems: 'center', flexWrap: 'wrap' }}>
          {choices.length > 0 && (
            <NativeSelect
              aria-label="Compare with"
              data={choices}
              value={chosen}
              onChange={(event) => choose(event.currentTarget.value)}
            />
          )}
          <span>
            {choices.length === 0
              ? `${rows.length} settings`
              : `${differing.length} of ${rows.length} settings differ from ${other}`}
          </span>
          {choices.length > 0 && (
            <Switch
              size="xs"
              label="only what differs"
              checked={only}
              onChange={(event) => showOnly(event.currentTarget.checked)}
            />
          )}
        </div>
        <CornerMenu
          exportable={exportableTable(
            'configuration',
            tableOf(rows, other),
            view.study_id ?? undefined,
            reportPlaces.configuration,
          )}
        />
      </div>
      <Wide name="Settings">
        <table className={classes.settings}>
          <thead>
            <tr>
              <th scope="col">setting</th>
              <th scope="col" className={classes.number}>
                this run
              </th>
              {choices.length > 0 && (
                <th scope="col" className={classes.number}>
                  {other}
                </th>
              )}
              <th scope="col">
                <span className="visually-hidden">difference</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.name} data-differs={choices.length > 0 && row.differs}>
                <th scope="row">
                  <code>{row.name}</code>
                </th>
                <td className={classes.number}>{said(row.value)}</td>
                {choices.length > 0 && <td className={classes.number}>{said(row.other)}</td>}
                <td>{choices.length > 0 && row.differs ? '≠ differs' : ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </>
  )
}

const said = (value: unknown) => (value === undefined ? '—' : setting(value))

function tableOf(rows: readonly ConfigRow[], other: string): Table {
  const cell = (value: unknown) => (typeof value === 'number' ? written(value, setting(value)) : said(value))
  return {
    caption: `Settings, against ${other}`,
    columns: [
      { label: 'Setting' },
      { label: 'This run', numeric: true },
      { label: other, numeric: true },
      { label: 'Differs' },
    ],
    rows: rows.map((row) => ({
      cells: [code(row.name), cell(row.value), cell(row.other), row.differs ? 'yes' : ''],
      marked: row.differs,
    })),
  }
}
