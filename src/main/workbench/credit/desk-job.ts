/**
 * Episodes of the desk through the job queue: tasks or earlier rollouts go into a run of its own, a stage process plays, and
 * the trajectories are kept in the home like any other file, with who played them.
 */
import { copyFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'
import type { DeskPlaySettings } from '../../../shared/credit-run.ts'
import type { RunId } from '../../../shared/ids.ts'
import { type DeviceName, runFiles } from '../../../shared/stage.ts'
import type { DeskSplit } from '../../engine/desk/tasks.ts'
import { readTrajectories } from '../../rows/read-trajectories.ts'
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
import { chosenTasks } from './desk.ts'
import { keepTrajectories, unkeptFile } from './kept-trajectories.ts'
import { chosenRows, sourceRows } from './sources.ts'
import { fieldsOf } from './trajectory-fields.ts'

export interface DeskRequest {
  /** Tasks of a split, the first of each family's turn by turn; or rollouts whose prefixes are played on from. */
  readonly from:
    | { readonly split: DeskSplit | 'all'; readonly task_seed: number; readonly tasks: number }
    | { readonly source: CreditSource; readonly ids?: readonly string[] | undefined }
  readonly model: string
  readonly adapter?: string | undefined
  readonly rewardAdapter?: string | undefined
  readonly settings: DeskPlaySettings
  readonly device: DeviceName
  readonly threads: number
}

/**
 * Resolves to the finished run; its trajectories are kept by then.
 * Throws `BadInput` for folders, rules or rollouts that cannot be used, `StageInterrupted` when stopped.
 */
export function playDesk(bench: Workbench, request: DeskRequest, options: StudyOptions = {}): Promise<RunId> {
  return withHomeFaults(bench.home, () => perform(bench, request, options))
}

async function perform(bench: Workbench, request: DeskRequest, options: StudyOptions): Promise<RunId> {
  const { settings, device, threads, adapter, rewardAdapter } = request
  const { rows, name, episodes } = await startsOf(bench, request)
  const spec: RunSpec = {
    studyId: null,
    stage: 'desk',
    purpose: 'main',
    preset: 'own',
    device,
    threads,
    settings: {
      name,
      ...settings,
      model_files: modelFiles(request.model),
      ...(adapter === undefined ? {} : { adapter_sha256: folderSha256(adapter) }),
      ...(rewardAdapter === undefined ? {} : { reward_adapter_sha256: folderSha256(rewardAdapter) }),
    },
    inputs: { rows: jsonl(rows) },
    parents: [],
  }
  const lock = takeComputeLock(bench.store, 'desk', bench.now)
  try {
    const run = prepareRun(bench, spec)
    const work = {
      bench,
      lock,
      control: options.control ?? new JobControl(),
      onProgress: options.onProgress ?? (() => {}),
    }
    const job = {
      ...jobBase(bench, resolve(request.model), run, device, threads),
      stage: 'desk' as const,
      rows: run.input('rows'),
      episodes,
      ...(adapter === undefined ? {} : { adapter: resolve(adapter) }),
      ...(rewardAdapter === undefined ? {} : { rewardAdapter: resolve(rewardAdapter) }),
      settings,
    }
    await runStage(work, { runId: run.runId, job, shownAs: 'credit', ingest: false })
    recordRunArtifacts(bench.store.db, run.runId, run.dir, '', run.runId)
    await keep(bench, request, join(run.dir, runFiles.rollouts), name)
    return run.runId
  } finally {
    lock.release()
  }
}

async function startsOf(
  bench: Workbench,
  { from, settings }: DeskRequest,
): Promise<{ rows: readonly object[]; name: string; episodes: number }> {
  if ('source' in from) {
    const read = await sourceRows(bench, from.source)
    const rows = chosenRows(read, from.ids)
    const actions = rows.map(({ turns }) => turns.filter(({ role }) => role === 'assistant').length)
    // Said before a process starts, and by the name that the asker knows.
    if (Math.max(...actions) < 2) throw new BadInput(read.name, 'no rollout goes on after its first turn')
    return { rows, name: `branches of ${read.name}`, episodes: 0 }
  }
  const tasks = await chosenTasks({ split: from.split, seed: from.task_seed })
  const chosen = spread(tasks, from.tasks)
  if (chosen.length === 0) throw new BadInput('split', `${from.split} has no task`)
  const each = settings.mode === 'rollouts' ? settings.group_size : 1
  return { rows: chosen, name: `desk, ${chosen.length} ${from.split} tasks`, episodes: chosen.length * each }
}

/** So many of the list, from all over it. */
function spread<T>(list: readonly T[], count: number): readonly T[] {
  if (count >= list.length) return list
  return Array.from({ length: count }, (_, k) => list[Math.floor((k * list.length) / count)]!)
}

async function keep(bench: Workbench, request: DeskRequest, file: string, name: string): Promise<void> {
  const rows = (await readTrajectories(file)).map(({ row }) => row)
  const copy = unkeptFile(bench.home)
  copyFileSync(file, copy)
  keepTrajectories(bench.home, copy, {
    name,
    format: 'desk',
    kept_at: bench.now().toISOString(),
    rows: rows.length,
    groups: new Set(rows.map(({ group }) => group)).size,
    ...fieldsOf(rows),
    tokenizer: resolve(request.model),
    remarks: [],
    played_by: {
      model: resolve(request.model),
      adapter: request.adapter === undefined ? null : resolve(request.adapter),
      reward_adapter: request.rewardAdapter === undefined ? null : resolve(request.rewardAdapter),
    },
  })
}
