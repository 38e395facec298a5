/** Up to eight runs at once, each kept current. */
import type { RunView } from '../../shared/ipc.ts'
import { type Answer, useAnswer } from '../bridge/index.ts'

export const most = 8

export interface RunViews {
  /** In the order asked for; runs that are still being read, or cannot be, are left out. */
  readonly views: readonly RunView[]
  readonly loading: boolean
  /** The workbench's words for each run that cannot be read. */
  readonly problems: readonly string[]
}

export function useRunViews(ids: readonly string[]): RunViews {
  const asked = (index: number) => (ids[index] === undefined ? null : { run_id: ids[index] })
  // A fixed number of questions: hooks stand in the same order on every render.
  const answers: readonly Answer<RunView>[] = [
    useAnswer('runs.show', asked(0)),
    useAnswer('runs.show', asked(1)),
    useAnswer('runs.show', asked(2)),
    useAnswer('runs.show', asked(3)),
    useAnswer('runs.show', asked(4)),
    useAnswer('runs.show', asked(5)),
    useAnswer('runs.show', asked(6)),
    useAnswer('runs.show', asked(7)),
  ]
  return {
    views: answers.flatMap(({ value }) => value ?? []),
    loading: answers.some(({ value, loading }) => loading && value === undefined),
    problems: answers.flatMap(({ error }) => error ?? []),
  }
}
