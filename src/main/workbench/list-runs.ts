/** Every run of a home, newest first: those of studies and those on the user's own rows. */
import type { RunListing } from '../../shared/ipc.ts'
import { runsOfStudy, runsWithoutStudy } from '../store/runs.ts'
import { allStudies } from '../store/studies.ts'
import type { Workbench } from './workbench.ts'

export function listRuns({ store: { db } }: Workbench): RunListing[] {
  const owners = [
    ...allStudies(db).map((study) => ({ study, runs: runsOfStudy(db, study.studyId) })),
    { study: null, runs: runsWithoutStudy(db) },
  ]
  return owners
    .flatMap(({ study, runs }) =>
      runs.map((run) => ({
        run_id: run.runId,
        study_id: run.studyId,
        study_name: study?.name ?? null,
        stage: run.stage,
        purpose: run.purpose,
        preset: study?.preset ?? null,
        // A run on one's own rows records its model by content, not by place.
        model: study?.modelDir ?? (run.baseSha256 === null ? '' : `base ${run.baseSha256.slice(0, 12)}`),
        status: run.status,
        created_at: run.createdAt,
        updates: run.updatesDone,
        total: run.updatesTotal,
      })),
    )
    .sort((a, b) => descending(a.created_at, b.created_at) || descending(a.run_id, b.run_id))
}

const descending = (a: string, b: string): number => (a === b ? 0 : a < b ? 1 : -1)
