/** Stage 7: the report, in the study's own folder and where the user asked for it. */
import { relative, resolve, sep } from 'node:path'
import type { StudyDocument } from '../../../shared/study-document.ts'
import { updateStudy } from '../../store/studies.ts'
import { reportDir, studyDir } from '../places.ts'
import { showStudy } from '../show-study.ts'
import { type StudyWork, showStep } from '../study-work.ts'

const formats = ['html', 'json'] as const

export async function reportStage(work: StudyWork): Promise<void> {
  const { bench, study } = work
  showStep(work, 'report', 'writing', 0, 1)
  const document = asFinished(showStudy(bench, study.studyId), bench.now().toISOString())
  const own = await bench.writeReport(document, { formats, out: reportDir(bench.home, study.studyId) })
  const asked = work.out === null ? { files: [] } : await bench.writeReport(document, { formats, out: work.out })
  const root = studyDir(bench.home, study.studyId)
  const ownFiles = own.files.map((file) => relative(root, file).split(sep).join('/'))
  updateStudy(bench.store.db, study.studyId, {
    reportFiles: [...asked.files.map((file) => resolve(file)), ...ownFiles],
  })
  showStep(work, 'report', 'writing', 1, 1)
}

/** The report is the last stage: once it is written the study is finished, and it says so of itself. */
function asFinished(document: StudyDocument, now: string): StudyDocument {
  const stages = document.stages.map((stage) =>
    stage.name === 'report' ? { ...stage, status: 'finished' as const, finished_at: now } : stage,
  )
  return { ...document, status: 'finished', finished_at: now, stages }
}
