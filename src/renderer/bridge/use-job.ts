/** The home's one job, and what can be done to it. */
import { useMemo, useSyncExternalStore } from 'react'
import type { JobRequest, JobView } from '../../shared/ipc.ts'
import { isActive } from './job-store.ts'
import { useWorkbench } from './workbench.tsx'

export interface UseJob {
  /** Null before the first job of this session; a job that ended stays until the next one. */
  readonly job: JobView | null
  /** Whether it still holds the machine. */
  readonly active: boolean
  /** Rejects with the workbench's words. */
  readonly start: (request: JobRequest) => Promise<JobView>
  readonly pause: () => Promise<JobView | null>
  readonly resume: () => Promise<JobView | null>
  readonly stop: () => Promise<JobView | null>
}

export function useJob(): UseJob {
  const { job: store } = useWorkbench()
  const job = useSyncExternalStore(store.watch, store.current)
  return useMemo(
    () => ({
      job,
      active: isActive(job),
      start: (request) => store.start(request),
      pause: () => store.command('jobs.pause'),
      resume: () => store.command('jobs.resume'),
      stop: () => store.command('jobs.stop'),
    }),
    [job, store],
  )
}
