/** One run with its curves and its log, of a study or on the user's own rows. */
import { BadInput } from '../../shared/bad-input.ts'
import { isGroupStage } from '../../shared/group-run.ts'
import { isStudyId } from '../../shared/ids.ts'
import type { RunLogView, RunView } from '../../shared/ipc.ts'
import type { RunStatus } from '../../shared/study-document.ts'
import { groupIterationsOf } from '../store/group-rollouts.ts'
import { iterationsOf } from '../store/rollouts.ts'
import { findRun, type RunRow, runsOfStudy } from '../store/runs.ts'
import { findStudy } from '../store/studies.ts'
import { groupUpdatesOf, ppoUpdatesOf, updatesOf, validationsOf } from '../store/updates.ts'
import { memoryOf } from './memory-of-run.ts'
import { runDir } from './places.ts'
import { readRunLog } from './run-log.ts'
import { runRecord } from './run-record.ts'
import type { Workbench } from './workbench.ts'

/** Throws `BadInput` when there is no such run. */
export function showRun(bench: Workbench, id: string): RunView {
  const { db } = bench.store
  const run = requireRun(bench, id)
  const ppo = run.stage === 'ppo'
  const group = isGroupStage(run.stage)
  return {
    run: runRecord(run),
    study_id: run.studyId,
    preset: run.studyId === null ? null : (findStudy(db, run.studyId)?.preset ?? null),
    updates: ppo ? [] : updatesOf(db, run.runId),
    ppo_updates: ppo ? ppoUpdatesOf(db, run.runId) : [],
    iterations: ppo ? iterationsOf(db, run.runId) : [],
    ...(group && { group: { updates: groupUpdatesOf(db, run.runId), iterations: groupIterationsOf(db, run.runId) } }),
    validations: validationsOf(db, run.runId),
    memory: memoryOf(runDir(bench.home, run.studyId, run.runId)),
  }
}

export interface LoggedRun extends RunLogView {
  readonly run_id: string
  readonly stage: string
  readonly purpose: string
  readonly status: RunStatus
}

/** The logs of a study's runs in their order, or of one run. Throws `BadInput` when `id` is neither. */
export function logsOf(bench: Workbench, id: string): LoggedRun[] {
  const { db } = bench.store
  const study = isStudyId(id) ? findStudy(db, id) : null
  const one = study === null ? findRun(db, id) : null
  if (study === null && one === null) throw new BadInput(id, `is neither a study nor a run in ${bench.home}`)
  const runs = study === null ? [one].filter((run) => run !== null) : runsOfStudy(db, study.studyId)
  return runs.map(({ runId, stage, purpose, status }) => ({
    run_id: runId,
    stage,
    purpose,
    status,
    ...showRunLog(bench, runId),
  }))
}

/** Throws `BadInput` when there is no such run; one made before logs were kept has an empty log. */
export function showRunLog(bench: Workbench, id: string): RunLogView {
  const run = requireRun(bench, id)
  return readRunLog(runDir(bench.home, run.studyId, run.runId))
}

function requireRun({ home, store: { db } }: Workbench, id: string): RunRow {
  const run = findRun(db, id)
  if (run === null) throw new BadInput(id, `is not a run in ${home}`)
  return run
}
