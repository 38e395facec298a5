/** A resume check in words: what was done twice, and whether both gave the same bytes. */
import { code, type Table, verdict } from '../../main/report/section.ts'
import type { ResumeCheck, RunStatus } from '../../shared/study-document.ts'

export interface ResumeVerdict {
  readonly tone: 'good' | 'bad' | 'warn'
  readonly title: string
  readonly text: string
}

const what = 'A resume check runs the stage once more, interrupts it, finishes it in another process, and compares.'

/** @param check null while it runs, and where it was cut off: it then begins anew with the study */
export function resumeVerdict(status: RunStatus, check: ResumeCheck | null): ResumeVerdict {
  if (check === null) {
    return status === 'running'
      ? { tone: 'warn', title: 'The check is running', text: `${what} Its verdict stands here when it ends.` }
      : {
          tone: 'warn',
          title: 'The check was cut off',
          text: `${what} It proves nothing yet and begins anew with its study.`,
        }
  }
  const units = check.interrupted_after === 1 ? check.unit.replace(/s$/, '') : check.unit
  const done = `Interrupted after ${check.interrupted_after} ${units}, then resumed.`
  return check.status === 'ok'
    ? { tone: 'good', title: '✓ Resumed equals continuous, byte for byte', text: done }
    : { tone: 'bad', title: '✕ Resumed differs from continuous', text: done }
}

export function resumeCheckTable(check: ResumeCheck): Table {
  const row = (name: string, equal: boolean, continuous: string, resumed: string) => ({
    cells: [name, verdict(equal, equal ? 'equal' : 'differs'), code(continuous), code(resumed)],
  })
  return {
    caption: `Resume check of ${check.stage}`,
    columns: [{ label: 'Compared' }, { label: 'Verdict' }, { label: 'Continuous' }, { label: 'Resumed' }],
    rows: [
      row('numerical state', check.state_equal, check.continuous_state_sha256, check.resumed_state_sha256),
      row('journal', check.journal_equal, check.journal_sha256, check.resumed_journal_sha256),
    ],
  }
}
