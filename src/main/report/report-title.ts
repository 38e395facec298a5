/** What every format calls the report. */
import type { StudyDocument } from '../../shared/study-document.ts'

export function reportTitle(document: StudyDocument): string {
  return `${document.name}, seed ${document.seed}: report of ${document.study_id}`
}
