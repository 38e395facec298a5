/** The job that another program of this machine runs in this home, as far as the store tells. */
import type { JobView } from '../../shared/ipc.ts'
import type { StageName } from '../../shared/study-document.ts'
import { runningJob } from '../store/compute-lock.ts'
import { decodeOwner } from '../store/process-owner.ts'
import { type RunRow, runsOfStudy, runsWithoutStudy } from '../store/runs.ts'
import { stagesOf } from '../store/stages.ts'
import { allStudies } from '../store/studies.ts'
import type { Workbench } from './workbench.ts'

/** Stages that are jobs of their own and learn nothing. */
const questions = ['credit-audit', 'credit-datc', 'credit-datc-study', 'desk'] as const

/** Null when nothing runs, or when what runs is this process's own. */
export function jobElsewhere({ store: { db }, now }: Workbench): JobView | null {
  const job = runningJob(db, now())
  if (job === null || job.pid === process.pid) return null
  const owned = (owner: string | null) => owner !== null && decodeOwner(owner).pid === job.pid
  const study = allStudies(db).find(({ status, owner }) => status === 'running' && owned(owner))
  const runs = study === undefined ? runsWithoutStudy(db) : runsOfStudy(db, study.studyId)
  const run = runs.find(({ status, owner }) => status === 'running' && owned(owner))
  const kind = study !== undefined ? 'study' : (questions.find((one) => one === run?.stage) ?? 'train')
  const stage =
    study === undefined
      ? kind === 'train'
        ? 'train'
        : 'credit'
      : stagesOf(db, study.studyId).find(({ status }) => status === 'running')?.name
  return {
    kind,
    title: study?.name ?? job.what,
    study_id: study?.studyId ?? null,
    run_id: run?.runId ?? null,
    started_at: run?.startedAt ?? study?.createdAt ?? now().toISOString(),
    state: run === undefined ? 'waiting' : 'running',
    message: `another program runs it (process ${job.pid}); pause or stop it there`,
    progress: run === undefined || stage === undefined ? null : progressOf(run, stage),
    other_process: job.pid,
  }
}

/** Units done are in the store; how fast the other program works is not. */
function progressOf(run: RunRow, stage: StageName | 'train' | 'credit'): JobView['progress'] {
  return {
    study_id: run.studyId,
    run_id: run.runId,
    stage,
    phase: 'in another program',
    done: run.updatesDone,
    total: run.updatesTotal,
    value: run.updatesTotal > 0 ? Math.min(1, run.updatesDone / run.updatesTotal) : 0,
    rate: null,
    seconds_left: null,
    state: 'running',
    suspended_seconds: 0,
    metrics: {},
  }
}
