/**
 * Credit questions that need a model: rollouts of a source go into a run of their own, a stage process reads them beside
 * the model and the adapters it is given, and its one document stays in the run's folder. Nothing is learned.
 */
import { resolve } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type { AuditSettings } from '../../../shared/credit-audit.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'
import type { DatcSettings } from '../../../shared/credit-run.ts'
import type { RunId } from '../../../shared/ids.ts'
import type { DeviceName, StageJob } from '../../../shared/stage.ts'
import { takeComputeLock } from '../../store/compute-lock.ts'
import { withHomeFaults } from '../../store/home-faults.ts'
import { findRun } from '../../store/runs.ts'
import { recordRunArtifacts } from '../artifacts-of-run.ts'
import { folderSha256, jsonl } from '../files-on-disk.ts'
import { JobControl } from '../job-control.ts'
import { modelFiles } from '../model-folder.ts'
import { jobBase, prepareRun, type RunSpec } from '../prepare-run.ts'
import { runStage } from '../run-stage.ts'
import type { StudyOptions } from '../study-run.ts'
import type { Workbench } from '../workbench.ts'
import { answeredBefore } from './answered-before.ts'
import { chosenRows, sourceRows } from './sources.ts'

interface CreditJobBase {
  readonly source: CreditSource
  readonly ids?: readonly string[] | undefined
  /** Default: the model that the source's rollouts are of. */
  readonly model?: string | undefined
  /** Default: the base alone. */
  readonly adapter?: string | undefined
  readonly device: DeviceName
  readonly threads: number
}

export type CreditJob = CreditJobBase &
  (
    | { readonly stage: 'credit-audit'; readonly settings: AuditSettings }
    | { readonly stage: 'credit-datc'; readonly settings: DatcSettings; readonly rewardAdapter: string }
  )

/**
 * Resolves to the finished run; one that answered exactly this question before is answered with again.
 * Throws `BadInput` for rollouts, folders or settings that cannot be used, `StageInterrupted` when stopped.
 */
export function runCreditJob(bench: Workbench, request: CreditJob, options: StudyOptions = {}): Promise<RunId> {
  return withHomeFaults(bench.home, () => perform(bench, request, options))
}

async function perform(bench: Workbench, request: CreditJob, options: StudyOptions): Promise<RunId> {
  const { spec, model } = await specOf(bench, request)
  const before = answeredBefore(bench, spec)
  if (before !== null) return before
  const lock = takeComputeLock(bench.store, request.stage, bench.now)
  try {
    const run = prepareRun(bench, spec)
    const work = {
      bench,
      lock,
      control: options.control ?? new JobControl(),
      onProgress: options.onProgress ?? (() => {}),
    }
    const job = jobOf(request, {
      ...jobBase(bench, model, run, spec.device, spec.threads),
      trajectories: run.input('trajectories'),
    })
    await runStage(work, { runId: run.runId, job, shownAs: 'credit', ingest: false })
    recordRunArtifacts(bench.store.db, run.runId, run.dir, '', run.runId)
    return run.runId
  } finally {
    lock.release()
  }
}

async function specOf(bench: Workbench, request: CreditJob): Promise<{ spec: RunSpec; model: string }> {
  const { source, ids, stage, settings, device, threads } = request
  const read = await sourceRows(bench, source)
  const rows = chosenRows(read, ids)
  const model = request.model ?? read.model
  if (model === null) throw new BadInput(read.name, 'is of a model that this machine does not know; name its folder')
  const folders = {
    ...(request.adapter === undefined ? {} : { adapter_sha256: folderSha256(request.adapter) }),
    ...(request.stage === 'credit-datc' ? { reward_adapter_sha256: folderSha256(request.rewardAdapter) } : {}),
  }
  const spec: RunSpec = {
    studyId: null,
    stage,
    purpose: 'main',
    preset: 'own',
    device,
    threads,
    settings: {
      source,
      source_name: read.name,
      ids: ids ?? null,
      rollouts: rows.length,
      ...settings,
      model_files: modelFiles(model),
      ...folders,
    },
    inputs: { trajectories: jsonl(rows) },
    parents:
      source.kind === 'run' && findRun(bench.store.db, source.run_id) !== null
        ? [{ role: 'rollouts', run_id: source.run_id as RunId }]
        : [],
  }
  return { spec, model: resolve(model) }
}

type Common = Omit<Extract<StageJob, { stage: 'credit-audit' }>, 'stage' | 'adapter' | 'settings'>

function jobOf(request: CreditJob, common: Common): StageJob {
  const adapter = request.adapter === undefined ? {} : { adapter: resolve(request.adapter) }
  return request.stage === 'credit-audit'
    ? { ...common, ...adapter, stage: request.stage, settings: request.settings }
    : {
        ...common,
        ...adapter,
        stage: request.stage,
        settings: request.settings,
        rewardAdapter: resolve(request.rewardAdapter),
      }
}
