/** Which study a repeated request goes on with. */
import { factsOf, resumeChecksOf } from '../store/facts.ts'
import { allStudies, type StudyRow } from '../store/studies.ts'
import type { Workbench } from './workbench.ts'

/** The newest unfinished study of the same request; one that failed by an integrity fact would only fail again. */
export function continuable(
  bench: Workbench,
  wanted: Pick<StudyRow, 'configSha256' | 'device' | 'threads' | 'verifyResume'>,
  files: Readonly<Record<string, string>>,
): StudyRow | null {
  const { db } = bench.store
  const same = (study: StudyRow) =>
    study.configSha256 === wanted.configSha256 &&
    study.device === wanted.device &&
    study.threads === wanted.threads &&
    study.verifyResume === wanted.verifyResume &&
    JSON.stringify(study.modelFiles) === JSON.stringify(files)
  const broken = ({ studyId }: StudyRow) =>
    factsOf(db, studyId).some(({ status }) => status === 'failed') ||
    resumeChecksOf(db, studyId).some(({ status }) => status === 'failed')
  const unfinished = (study: StudyRow) =>
    study.status === 'interrupted' || study.status === 'failed' || study.status === 'queued'
  return allStudies(db).find((study) => unfinished(study) && same(study) && !broken(study)) ?? null
}
