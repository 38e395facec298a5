/** All that was decided, once more, before it begins. */
import type { Estimate } from '../../shared/ipc.ts'
import type { Answer } from '../bridge/index.ts'
import { modelName } from '../home/run-words.ts'
import { Failure } from '../parts/index.ts'
import { duration, setting } from '../words/index.ts'
import type { Draft } from './draft.ts'
import classes from './wizard.module.css'

interface Props {
  readonly draft: Draft
  readonly title: string
  readonly estimate: Answer<Estimate>
  /** Why the start was refused. */
  readonly problem: string | undefined
}

export function StartStep({ draft, title, estimate, problem }: Props) {
  const wrong = problem ?? estimate.error
  return (
    <div className={classes.check}>
      {wrong !== undefined && <Failure title="It cannot start" message={wrong} />}
      <dl className={classes.summary}>
        {summaryOf(draft, title, estimate.value?.seconds ?? null).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className={classes.makes}>
        It can be paused or stopped at any time, goes on without this window, and resumes exactly where it stopped.
      </p>
    </div>
  )
}

const targets = { study: 'a new study, every stage', resume: 'a study goes on', rows: 'this stage alone, on own rows' }

function summaryOf(draft: Draft, title: string, seconds: number | null): readonly (readonly [string, string])[] {
  const changed = Object.entries(draft.changes).map(([key, value]) => `${key}: ${setting(value)}`)
  const lines: readonly (readonly [string, string])[] = [
    ['What', draft.target === 'rows' ? `${title}: ${targets.rows}` : targets[draft.target]],
    ['Study', draft.target === 'resume' ? draft.study : draft.name],
    ['Base model', draft.target === 'resume' ? '' : draft.model === '' ? 'embedded' : modelName(draft.model)],
    ['Rows', draft.target === 'rows' ? draft.data : ''],
    ['Result', draft.target === 'rows' ? draft.out : ''],
    ['Settings', draft.target === 'resume' ? 'those it began with' : changed.join(' · ') || 'as the default has them'],
    ['Device', draft.target === 'resume' ? '' : draft.device || 'as in Settings'],
    ['Time', seconds === null ? 'not known yet on this machine' : `about ${duration(seconds)}`],
  ]
  return lines.filter(([, value]) => value !== '')
}
