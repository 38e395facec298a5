/** Are these rollouts fit to assign credit from? Eight checks, each with the one number to watch and what it is made of. */
import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { estimatorName } from '../../../main/report/estimator-name.ts'
import { significant } from '../../../main/report/number-text.ts'
import { precise, type Table } from '../../../main/report/section.ts'
import type { CreditDiagnosis, Diagnosis } from '../../../shared/credit-estimates.ts'
import { useAnswer } from '../../bridge/index.ts'
import { CornerMenu, exportableTable } from '../../charts/index.ts'
import { Answered, Status } from '../../parts/index.ts'
import { counted } from '../../words/index.ts'
import classes from '../credit.module.css'
import type { TabProps } from '../TabOf.tsx'
import tables from '../tables.module.css'

export function DiagnosticsTab({ route, source }: TabProps) {
  const [method, setMethod] = useState('')
  const methods = useAnswer('credit.methods', {})
  const ids = route.rollouts.length === 0 ? {} : { ids: [...route.rollouts] }
  const answer = useAnswer('credit.diagnose', { source, ...ids, ...(method === '' ? {} : { method }) })
  const usual = useAnswer('credit.diagnose', { source, ...ids }).value
  return (
    <div className={classes.result}>
      <div className={classes.bar}>
        <NativeSelect
          label="Advantages by"
          value={method}
          data={[
            { value: '', label: usual === undefined ? 'by default' : `by default: ${nameOf(usual)}` },
            ...(methods.value ?? []).map(({ name }) => name),
          ]}
          onChange={(event) => setMethod(event.currentTarget.value)}
        />
      </div>
      <Answered answer={answer} what="Checking">
        {(diagnosis) => <CheckList diagnosis={diagnosis} />}
      </Answered>
    </div>
  )
}

const nameOf = ({ method, parameters }: CreditDiagnosis) => estimatorName({ label: method, parameters })

const order: Readonly<Record<Diagnosis['status'], number>> = { failed: 0, warning: 1, ok: 2, skipped: 3 }

function CheckList({ diagnosis }: { readonly diagnosis: CreditDiagnosis }) {
  const checks = diagnosis.checks.toSorted((a, b) => order[a.status] - order[b.status])
  return (
    <section>
      <div className={tables.tableHead}>
        <h3>Eight diagnostics</h3>
        <span>
          {counted(diagnosis.rollouts, 'rollout')}, advantages by {nameOf(diagnosis)}
        </span>
        <CornerMenu exportable={exportableTable('credit-diagnostics', tableOf(diagnosis))} />
      </div>
      <ul className={classes.checks} aria-label="Eight diagnostics">
        {checks.map((check) => (
          <li key={check.id} data-status={check.status}>
            <Status status={check.status} />
            <b>{check.id.replaceAll('_', ' ').replaceAll('-', ' ')}</b>
            <span className={classes.checkFigure}>{check.figure === null ? '' : significant(check.figure)}</span>
            <span className={classes.checkDetail}>
              {check.detail}
              {check.data !== undefined && (
                <details>
                  <summary>What it is made of</summary>
                  <pre>{JSON.stringify(check.data, null, 1)}</pre>
                </details>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function tableOf(diagnosis: CreditDiagnosis): Table {
  const { checks } = diagnosis
  return {
    caption: `Diagnostics of the rollouts, advantages by ${nameOf(diagnosis)}`,
    columns: [{ label: 'Check' }, { label: 'Status' }, { label: 'Figure', numeric: true }, { label: 'Detail' }],
    rows: checks.map(({ id, status, figure, detail }) => ({ cells: [id, status, precise(figure), detail] })),
  }
}
