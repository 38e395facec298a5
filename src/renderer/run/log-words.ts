/** How the kinds of log lines are named and toned; what they say is the workbench's own. */
import type { LogKind } from '../../shared/ipc.ts'

export const kindWords: Readonly<Record<LogKind, string>> = {
  session: 'session',
  phase: 'phase',
  commit: 'commit',
  request: 'asked',
  state: 'state',
  note: 'note',
  stderr: 'stderr',
  failure: '✕ failure',
  end: 'end',
}

export const toneOf = (kind: LogKind): 'bad' | 'watch' | undefined =>
  kind === 'failure' ? 'bad' : kind === 'stderr' || kind === 'note' ? 'watch' : undefined
