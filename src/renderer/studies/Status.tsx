/** A status as a word with a mark; never by colour alone. */
import type { RunStatus } from '../../shared/study-document.ts'

const marks: Readonly<Record<RunStatus, string>> = {
  queued: '○',
  running: '●',
  interrupted: '◐',
  failed: '✕',
  finished: '✓',
}

export function Status({ status }: { readonly status: RunStatus }) {
  return (
    <span className={`status ${status}`}>
      <span aria-hidden="true">{marks[status]}</span> {status}
    </span>
  )
}
