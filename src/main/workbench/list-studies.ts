/** The studies of a home, newest first. */
import type { StudyListing } from '../../shared/study-document.ts'
import { stagesOf } from '../store/stages.ts'
import { allStudies } from '../store/studies.ts'
import type { Workbench } from './workbench.ts'

export function listStudies({ store: { db } }: Workbench): StudyListing[] {
  return allStudies(db).map((study) => ({
    study_id: study.studyId,
    name: study.name,
    preset: study.preset,
    status: study.status,
    seed: study.seed,
    created_at: study.createdAt,
    finished_at: study.finishedAt,
    next_stage: stagesOf(db, study.studyId).find((stage) => stage.status !== 'finished')?.name ?? null,
  }))
}
