/** Starts a question of credit as the home's one job, and shows its result when it has ended. */
import { useEffect, useState } from 'react'
import type { JobRequest, JobView } from '../../shared/ipc.ts'
import { useJob, wordsOf } from '../bridge/index.ts'

export interface CreditJobHandle {
  readonly start: (request: JobRequest) => void
  /** Another job holds the machine. */
  readonly blocked: boolean
  /** This one. */
  readonly running: JobView | null
  readonly problem: string | null
}

/** @param onEnded told the run of a job that this component started and that finished */
export function useCreditJob(onEnded: (runId: string) => void): CreditJobHandle {
  const { job, active, start } = useJob()
  const [mine, setMine] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const own = job !== null && job.started_at === mine ? job : null
  useEffect(() => {
    if (own === null || active) return
    setMine(null)
    if (own.state === 'finished' && own.run_id !== null) onEnded(own.run_id)
    else if (own.state === 'failed') setProblem(own.message ?? 'it failed')
    else if (own.state === 'interrupted') setProblem('It was stopped; nothing was kept.')
  }, [own, active, onEnded])
  return {
    start: (request) => {
      setProblem(null)
      start(request).then(
        (begun) => setMine(begun.started_at),
        (reason: unknown) => setProblem(wordsOf(reason)),
      )
    },
    blocked: active && own === null,
    running: active ? own : null,
    problem,
  }
}
