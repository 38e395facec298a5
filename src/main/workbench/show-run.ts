/** One run with its curves, of a study or on the user's own rows. */
import { BadInput } from '../../shared/bad-input.ts'
import type { RunView } from '../../shared/ipc.ts'
import { iterationsOf } from '../store/rollouts.ts'
import { findRun } from '../store/runs.ts'
import { findStudy } from '../store/studies.ts'
import { ppoUpdatesOf, updatesOf, validationsOf } from '../store/updates.ts'
import { runRecord } from './run-record.ts'
import type { Workbench } from './workbench.ts'

/** Throws `BadInput` when there is no such run. */
export function showRun({ home, store: { db } }: Workbench, id: string): RunView {
  const run = findRun(db, id)
  if (run === null) throw new BadInput(id, `is not a run in ${home}`)
  const ppo = run.stage === 'ppo'
  return {
    run: runRecord(run),
    study_id: run.studyId,
    preset: run.studyId === null ? null : (findStudy(db, run.studyId)?.preset ?? null),
    updates: ppo ? [] : updatesOf(db, run.runId),
    ppo_updates: ppo ? ppoUpdatesOf(db, run.runId) : [],
    iterations: ppo ? iterationsOf(db, run.runId) : [],
    validations: validationsOf(db, run.runId),
  }
}
