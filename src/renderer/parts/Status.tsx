/** A status as a word with a mark; never by colour alone. */
import type { RunStatus } from '../../shared/study-document.ts'
import classes from './parts.module.css'

type Word = RunStatus | 'waiting' | 'paused' | 'stopping' | 'ok' | 'warning' | 'skipped'

const marks: Readonly<Record<Word, string>> = {
  queued: '○',
  waiting: '○',
  running: '●',
  paused: '‖',
  stopping: '◑',
  interrupted: '◐',
  failed: '✕',
  finished: '✓',
  ok: '✓',
  warning: '!',
  skipped: '–',
}

export function Status({ status }: { readonly status: Word }) {
  return (
    <span className={classes.status} data-status={status}>
      <span aria-hidden="true" className={classes.mark}>
        {marks[status]}
      </span>
      {status}
    </span>
  )
}
