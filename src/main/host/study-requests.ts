/** Answers the window's requests with the same workbench functions that the command line calls. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isStudyId } from '../../shared/ids.ts'
import type { RequestHandlers } from '../../shared/ipc.ts'
import { codeVersion } from '../code-version.ts'
import { writeReport } from '../report/write-report.ts'
import { listStudies } from '../workbench/list-studies.ts'
import { reportDir } from '../workbench/places.ts'
import { showStudy } from '../workbench/show-study.ts'
import { openWorkbench } from '../workbench/workbench.ts'
import { reportUrl } from './app-files.ts'

export interface StudyRequests {
  readonly handlers: RequestHandlers
  /** The HTML report inside a study's own folder; undefined until it is written. */
  readonly reportFile: (studyId: string) => string | undefined
  close(): void
}

/** Throws `BadInput` when the data folder cannot be used. */
export function openStudyRequests(home: string): StudyRequests {
  const bench = openWorkbench({ home, writeReport, codeVersion })
  const reportFile = (studyId: string): string | undefined => {
    if (!isStudyId(studyId)) return undefined
    const file = join(reportDir(bench.home, studyId), 'report.html')
    return existsSync(file) ? file : undefined
  }
  return {
    handlers: {
      'app.info': async () => ({ version: codeVersion, home: bench.home }),
      'studies.list': async () => listStudies(bench),
      'studies.show': async ({ study_id: id }) => {
        const study = showStudy(bench, id)
        return { study, report_url: reportFile(study.study_id) === undefined ? null : reportUrl(study.study_id) }
      },
    },
    reportFile,
    close: () => bench.close(),
  }
}
