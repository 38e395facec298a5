/** What a resume check is and what it found: its updates are compared byte for byte and kept nowhere, so it has no curves. */

import type { RunView } from '../../shared/ipc.ts'
import type { ResumeCheck } from '../../shared/study-document.ts'
import { useAnswer } from '../bridge/index.ts'
import { exportableTable, TableHead } from '../charts/menu.ts'
import { Answered, Hash, Notice, Status } from '../parts/index.ts'
import { Link } from '../routes/index.ts'
import { resumeCheckTable, resumeVerdict } from './resume-check-words.ts'
import classes from './run.module.css'

export function ResumeCheckPanel({ view, study }: { readonly view: RunView; readonly study: string }) {
  const answer = useAnswer('studies.show', { study_id: study })
  return (
    <Answered answer={answer} what="Reading the check">
      {({ study: { resume_checks: checks, runs } }) => {
        const check = checks.find(({ stage }) => stage === view.run.stage) ?? null
        const whole = runs.find(({ stage, purpose }) => stage === view.run.stage && purpose === 'main')
        const { tone, title, text } = resumeVerdict(view.run.status, check)
        return (
          <div className={classes.verdict}>
            <Notice tone={tone} title={title}>
              {text} {whole !== undefined && <Link to={{ screen: 'run', run: whole.run_id }}>The continuous run</Link>}
            </Notice>
            {check !== null && <Compared check={check} study={study} />}
          </div>
        )
      }}
    </Answered>
  )
}

function Compared({ check, study }: { readonly check: ResumeCheck; readonly study: string }) {
  const table = resumeCheckTable(check)
  const rows = [
    ['numerical state', check.state_equal, check.continuous_state_sha256, check.resumed_state_sha256],
    ['journal', check.journal_equal, check.journal_sha256, check.resumed_journal_sha256],
  ] as const
  return (
    <>
      <TableHead exportable={exportableTable('resume-check', table, study, 'table-resume-checks')}>
        SHA-256 of what both runs wrote
      </TableHead>
      <table className={classes.settings}>
        <thead>
          <tr>
            {table.columns.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, equal, continuous, resumed]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <Status status={equal ? 'ok' : 'failed'} />
              </td>
              <td>
                <Hash value={continuous} of={`${name}, continuous`} />
              </td>
              <td>
                <Hash value={resumed} of={`${name}, resumed`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
