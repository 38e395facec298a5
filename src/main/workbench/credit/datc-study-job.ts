/**
 * A study of single steps through the job queue: prompts go into a run of its own, a stage process samples batch after
 * batch from one policy, and its one document stays in the run's folder. Nothing is learned.
 */
import { basename, resolve } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type { RunId } from '../../../shared/ids.ts'
import type { DeviceName } from '../../../shared/stage.ts'
import type { GroupConfig } from '../../../shared/training-config.ts'
import { readRows } from '../../rows/read-rows.ts'
import { promptRowSchema } from '../../rows/row-schemas.ts'
import { takeComputeLock } from '../../store/compute-lock.ts'
import { withHomeFaults } from '../../store/home-faults.ts'
import { recordRunArtifacts } from '../artifacts-of-run.ts'
import { folderSha256, jsonl } from '../files-on-disk.ts'
import { JobControl } from '../job-control.ts'
import { modelFiles } from '../model-folder.ts'
import { jobBase, prepareRun, type RunSpec } from '../prepare-run.ts'
import { runStage } from '../run-stage.ts'
import type { StudyOptions } from '../study-run.ts'
import type { Workbench } from '../workbench.ts'
import { answeredBefore } from './answered-before.ts'

const stage = 'credit-datc-study'

export interface DatcStudyRequest {
  readonly model: string
  /** JSONL rows {id, prompt}. */
  readonly data: string
  readonly initAdapter: string
  readonly rewardAdapter: string
  readonly preset: string
  readonly config: GroupConfig
  readonly batches: number
  readonly device: DeviceName
  readonly threads: number
}

/**
 * Resolves to the finished run; one that answered exactly this question before is answered with again.
 * Throws `BadInput` for rows or folders that cannot be used, `StageInterrupted` when stopped.
 */
export function runDatcStudy(bench: Workbench, request: DatcStudyRequest, options: StudyOptions = {}): Promise<RunId> {
  return withHomeFaults(bench.home, () => perform(bench, request, options))
}

async function perform(bench: Workbench, request: DatcStudyRequest, options: StudyOptions): Promise<RunId> {
  const { config, batches } = request
  const spec = await specOf(request)
  const before = answeredBefore(bench, spec)
  if (before !== null) return before
  const lock = takeComputeLock(bench.store, stage, bench.now)
  try {
    const run = prepareRun(bench, spec)
    const work = {
      bench,
      lock,
      control: options.control ?? new JobControl(),
      onProgress: options.onProgress ?? (() => {}),
    }
    const job = {
      ...jobBase(bench, resolve(request.model), run, spec.device, spec.threads),
      stage: stage as typeof stage,
      prompts: run.input('prompts'),
      initAdapter: resolve(request.initAdapter),
      rewardAdapter: resolve(request.rewardAdapter),
      config,
      batches,
    }
    await runStage(work, { runId: run.runId, job, shownAs: 'credit', ingest: false })
    recordRunArtifacts(bench.store.db, run.runId, run.dir, '', run.runId)
    return run.runId
  } finally {
    lock.release()
  }
}

async function specOf({ model, data, initAdapter, rewardAdapter, ...request }: DatcStudyRequest): Promise<RunSpec> {
  const rows = (await readRows(data, promptRowSchema)).map(({ row }) => row)
  if (rows.length === 0) throw new BadInput(data, 'holds no prompt')
  const { preset, config, batches, device, threads } = request
  return {
    studyId: null,
    stage,
    purpose: 'main',
    preset,
    device,
    threads,
    settings: {
      prompts_name: basename(data),
      prompts: rows.length,
      batches,
      ...config,
      model_files: modelFiles(model),
      init_adapter_sha256: folderSha256(initAdapter),
      reward_adapter_sha256: folderSha256(rewardAdapter),
    },
    inputs: { prompts: jsonl(rows) },
    parents: [],
  }
}
