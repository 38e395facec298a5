/** What the stages of one study share while it runs. */
import type { StudyId } from '../../shared/ids.ts'
import type { StageJob } from '../../shared/stage.ts'
import type { IntegrityFact, StageName } from '../../shared/study-document.ts'
import type { StudyConfig } from '../../shared/training-config.ts'
import type { Corpus } from '../engine/study/corpus.ts'
import { recordFacts } from '../store/facts.ts'
import { type RunRow, runFor } from '../store/runs.ts'
import type { StudyRow } from '../store/studies.ts'
import type { StageWork } from './run-stage.ts'
import { IntegrityViolation } from './stage-ends.ts'

export interface StudyWork extends StageWork {
  readonly study: StudyRow & { readonly studyId: StudyId }
  readonly config: StudyConfig
  /** The base model's folder; where it lies now, which may differ from where the study began. */
  readonly modelDir: string
  /** Set by the corpus stage; read through `corpusOf`. */
  corpus: Corpus | null
  /** Where the user wants the report besides the study's own folder. */
  readonly out: string | null
}

/** Throws when the corpus stage has not been through yet. */
export function corpusOf(work: StudyWork): Corpus {
  if (work.corpus === null) throw new Error('the corpus has not been read yet')
  return work.corpus
}

/** The finished run of an earlier stage. Throws when there is none. */
export function finishedRun(work: StudyWork, stage: StageJob['stage'], purpose = 'main'): RunRow {
  const run = runFor(work.bench.store.db, work.study.studyId, stage, purpose)
  if (run?.status !== 'finished') throw new Error(`the study has no finished run of ${stage} (${purpose})`)
  return run
}

/** Records the facts; throws `IntegrityViolation` for the first that does not hold. */
export function requireFacts(work: StudyWork, facts: readonly IntegrityFact[]): void {
  recordFacts(work.bench.store.db, work.study.studyId, facts)
  const violated = facts.find((fact) => fact.status === 'failed')
  if (violated !== undefined) throw new IntegrityViolation(violated.name, violated.detail)
}

export const fact = (name: string, holds: boolean, detail: string): IntegrityFact => ({
  name,
  status: holds ? 'ok' : 'failed',
  detail,
})

/** Progress of a step that is no stage process. */
export function showStep(work: StudyWork, stage: StageName, phase: string, done: number, total: number): void {
  work.onProgress({
    study_id: work.study.studyId,
    run_id: null,
    stage,
    phase,
    done,
    total,
    value: total > 0 ? done / total : 0,
    rate: null,
    seconds_left: null,
    state: work.control.state,
    suspended_seconds: 0,
    metrics: {},
  })
}
