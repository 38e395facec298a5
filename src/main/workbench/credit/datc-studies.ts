/** Studies of single steps that were made and kept: each is a run with one document in its folder. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type { DatcStudyListing, DatcStudyResult, SingleStepStudy } from '../../../shared/datc-study.ts'
import { runFiles } from '../../../shared/stage.ts'
import { groupConfigSchema } from '../../../shared/training-config.ts'
import { findRun, type RunRow, runsWithoutStudy } from '../../store/runs.ts'
import { runDir } from '../places.ts'
import type { Workbench } from '../workbench.ts'

const stage = 'credit-datc-study'

/** Newest first. */
export function datcStudies({ store: { db } }: Workbench): DatcStudyListing[] {
  return runsWithoutStudy(db).flatMap((run) => (run.stage === stage ? [listing(run)] : []))
}

/** Throws `BadInput` when there is no such study, or its document is missing. */
export function datcStudy(bench: Workbench, runId: string): DatcStudyResult {
  const run = findRun(bench.store.db, runId)
  if (run === null || run.stage !== stage) throw new BadInput(runId, 'is no study of single steps of this home')
  if (run.status !== 'finished') return { listing: listing(run), study: null }
  const path = join(runDir(bench.home, run.studyId, run.runId), runFiles.datcStudy)
  if (!existsSync(path)) throw new BadInput(path, 'is missing; compute it again')
  return { listing: listing(run), study: JSON.parse(readFileSync(path, 'utf8')) as SingleStepStudy }
}

function listing(run: RunRow): DatcStudyListing {
  const { prompts_name, prompts, batches, ...rest } = run.config as Omit<DatcStudyListing, 'config'>
  const settings = Object.keys(groupConfigSchema.shape).flatMap((key) =>
    key in rest ? [[key, rest[key as keyof typeof rest]]] : [],
  )
  return {
    run_id: run.runId,
    status: run.status,
    error: run.error,
    created_at: run.createdAt,
    prompts_name,
    prompts,
    batches,
    config: Object.fromEntries(settings) as DatcStudyListing['config'],
    seconds: run.seconds.active ?? 0,
  }
}
