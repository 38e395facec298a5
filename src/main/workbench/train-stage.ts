/** One learning stage on the user's own rows; what it learned goes to a folder of the user's choice. */
import { isUtf8 } from 'node:buffer'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { type CriticSettings, type DeskEnvironment, isGroupStage } from '../../shared/group-run.ts'
import type { RunId } from '../../shared/ids.ts'
import type { GroupUpdatePoint } from '../../shared/run-points.ts'
import type { DeviceName, LearningJob, StageSummary } from '../../shared/stage.ts'
import type { PpoUpdatePoint, UpdatePoint, ValidationPoint } from '../../shared/study-document.ts'
import { takeComputeLock } from '../store/compute-lock.ts'
import { groupIterationsOf } from '../store/group-rollouts.ts'
import { withHomeFaults } from '../store/home-faults.ts'
import { canonicalJson } from '../store/json.ts'
import type { Db } from '../store/open-store.ts'
import { type RunRow, runsWithoutStudy } from '../store/runs.ts'
import { groupUpdatesOf, ppoUpdatesOf, updatesOf, validationsOf } from '../store/updates.ts'
import { recordRunArtifacts } from './artifacts-of-run.ts'
import { folderSha256, sha256 } from './files-on-disk.ts'
import { handOver } from './hand-over.ts'
import { JobControl } from './job-control.ts'
import { modelFiles } from './model-folder.ts'
import { jobBase, type PreparedRun, prepareRun, type RunSpec } from './prepare-run.ts'
import { defaultThreads } from './processor-cores.ts'
import { runStage } from './run-stage.ts'
import type { StudyOptions } from './study-run.ts'
import { dpoSettings, groupSettings, ppoSettings, type TrainSettings, trainingSettings } from './train-config.ts'
import type { Workbench } from './workbench.ts'

export interface TrainRequest extends TrainSettings {
  readonly stage: LearningJob['stage']
  readonly model: string
  /** Demonstrations, pairs or prompts (JSONL). */
  readonly data: string
  readonly validation?: string
  /** PPO and the group trainers: the frozen reward model, a PEFT folder with its head. */
  readonly rewardAdapter?: string
  /** Group trainers: episodes of several turns instead of single responses; `data` then holds its tasks. */
  readonly environment?: DeskEnvironment
  /** Of `turn-ppo`. */
  readonly critic?: CriticSettings
  /** Default true; false keeps the order of the file. */
  readonly shuffle?: boolean
  /** Must not exist, or be empty. */
  readonly out: string
  readonly device?: DeviceName
  readonly threads?: number
}

export interface TrainOutcome {
  readonly run_id: string
  readonly updates: number
  readonly history: readonly TrainPoint[]
  readonly validation: readonly ValidationPoint[]
  /** One hash for one role; PPO: by role. */
  readonly final_learned_sha256: string | Readonly<Record<string, string>>
  readonly initial_learned_sha256: string | Readonly<Record<string, string>>
  readonly base_sha256: string
  readonly device: string
  readonly device_reason: string | null
  readonly threads: number
  /** Absolute path of the adapter folder. */
  readonly out: string
}

/** PPO's points say the actor's figures under the common names, with all of both optimizers beside them. */
export type TrainPoint =
  | UpdatePoint
  | (GroupUpdatePoint & { readonly mean_reward: number | null })
  | (PpoUpdatePoint & Pick<UpdatePoint, 'learning_rate' | 'loss' | 'grad_norm'>)

/**
 * Trains, going on with an interrupted run of exactly the same request. Nothing appears in `out` before the end.
 * Throws `BadInput` for unusable input, `StageInterrupted` when stopped, `StageFailed` when the work fails.
 */
export function trainStage(bench: Workbench, request: TrainRequest, options: StudyOptions = {}): Promise<TrainOutcome> {
  return withHomeFaults(bench.home, () => train(bench, request, options))
}

async function train(bench: Workbench, request: TrainRequest, options: StudyOptions): Promise<TrainOutcome> {
  requireFreeFolder(request.out)
  const { spec, job } = setUp(bench, request)
  const lock = takeComputeLock(bench.store, `train ${request.stage}`, bench.now)
  try {
    const left = interruptedRun(bench, spec)
    if (left !== null) options.onNote?.(`continuing ${left.runId}`)
    else noteOtherData(bench, spec, options)
    const run = prepareRun(bench, spec, left)
    const work = {
      bench,
      lock,
      control: options.control ?? new JobControl(),
      onProgress: options.onProgress ?? (() => {}),
    }
    const summary = await namingUserFiles(request, run, () =>
      runStage(work, { runId: run.runId, job: job(run), shownAs: 'train', ingest: true }),
    )
    recordRunArtifacts(bench.store.db, run.runId, run.dir, '', run.runId)
    handOver(request.out, run.dir)
    return outcome(bench, request, run, summary)
  } finally {
    lock.release()
  }
}

function requireFreeFolder(out: string): void {
  if (!existsSync(out)) return
  if (!statSync(out).isDirectory()) throw new BadInput(out, 'is a file; name a folder for the adapter')
  if (readdirSync(out).length > 0) throw new BadInput(out, 'is not empty; name another folder for the adapter')
}

function setUp(bench: Workbench, request: TrainRequest) {
  const { stage, initAdapter, rewardAdapter, environment, critic } = request
  const model = resolve(request.model)
  const settings = settingsOf(request)
  const shuffle = request.shuffle ?? true
  const spec: RunSpec = {
    studyId: null,
    stage,
    purpose: 'main',
    preset: 'own',
    device: request.device ?? 'auto',
    threads: request.threads ?? defaultThreads(),
    settings: {
      ...settings,
      ...(environment === undefined ? {} : { environment }),
      ...(critic === undefined ? {} : { critic }),
      shuffle,
      model_files: modelFiles(model),
      ...(initAdapter === undefined ? {} : { init_adapter_sha256: folderSha256(initAdapter) }),
      ...(rewardAdapter === undefined ? {} : { reward_adapter_sha256: folderSha256(rewardAdapter) }),
    },
    inputs: {
      train: textOf(request.data),
      ...(request.validation === undefined ? {} : { validation: textOf(request.validation) }),
    },
    parents: [],
  }
  return { spec, job: jobMaker(bench, request, spec, model, shuffle) }
}

function settingsOf(request: TrainRequest): LearningJob['config'] {
  const { stage } = request
  if (stage === 'ppo') return ppoSettings(request)
  if (isGroupStage(stage)) return groupSettings(request)
  return stage === 'dpo' ? dpoSettings(request) : trainingSettings(stage, request)
}

function jobMaker(bench: Workbench, request: TrainRequest, spec: RunSpec, model: string, shuffle: boolean) {
  const { stage } = request
  const init = request.initAdapter === undefined ? undefined : resolve(request.initAdapter)
  const base = (run: PreparedRun) => ({ ...jobBase(bench, model, run, spec.device, spec.threads), shuffle })
  if (stage === 'ppo' || isGroupStage(stage)) {
    const name = stage.toUpperCase()
    if (init === undefined) throw new BadInput('--init-adapter', `is needed: ${name} starts from a trained policy`)
    const { rewardAdapter, environment, critic } = request
    const reward = rewardAdapter === undefined ? undefined : resolve(rewardAdapter)
    if (reward === undefined && environment === undefined)
      throw new BadInput('--reward-adapter', `is needed: ${name} learns from a reward model`)
    return (run: PreparedRun): LearningJob => {
      const rollouts = { ...base(run), train: run.input('train'), initAdapter: init }
      if (stage === 'ppo') return { ...rollouts, stage, rewardAdapter: reward!, config: ppoSettings(request) }
      return {
        ...rollouts,
        stage,
        config: groupSettings(request),
        ...(reward === undefined ? {} : { rewardAdapter: reward }),
        ...(environment === undefined ? {} : { environment }),
        ...(critic === undefined ? {} : { critic }),
      }
    }
  }
  const config = stage === 'dpo' ? dpoSettings(request) : trainingSettings(stage, request)
  return (run: PreparedRun): LearningJob => ({
    ...base(run),
    stage,
    train: run.input('train'),
    ...(request.validation === undefined ? {} : { validation: run.input('validation') }),
    ...(init === undefined ? {} : { initAdapter: init }),
    config,
  })
}

function textOf(file: string): string {
  try {
    return decodeUtf8(file, readFileSync(file))
  } catch (error) {
    if (error instanceof BadInput) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new BadInput(file, 'does not exist')
    throw new BadInput(
      file,
      code === 'EISDIR' ? 'is a folder; name a JSONL file' : `cannot be read (${code ?? String(error)})`,
    )
  }
}

/** Decoding what is not UTF-8 would train on replacement characters without a word. */
function decodeUtf8(file: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  let start = 0
  for (let line = 1; start <= bytes.length; line++) {
    const end = bytes.indexOf(10, start)
    const stop = end === -1 ? bytes.length : end
    if (!isUtf8(bytes.subarray(start, stop))) throw new BadInput(file, 'is not UTF-8; save it as UTF-8', `line ${line}`)
    start = stop + 1
  }
  throw new BadInput(file, 'is not UTF-8; save it as UTF-8')
}

/** The newest run that would do exactly this and was cut off. */
function interruptedRun(bench: Workbench, spec: RunSpec): RunRow | null {
  const wanted = canonicalJson(spec.settings)
  const data = canonicalJson(
    Object.fromEntries(Object.entries(spec.inputs).map(([name, text]) => [name, sha256(text)])),
  )
  const same = (run: RunRow) =>
    run.status === 'interrupted' &&
    run.stage === spec.stage &&
    run.threads === spec.threads &&
    (run.device === spec.device || spec.device === 'auto') &&
    canonicalJson(run.config) === wanted &&
    canonicalJson(run.dataSha256) === data
  return runsWithoutStudy(bench.store.db).find(same) ?? null
}

/** A run of the same settings was cut off on other data: it cannot be continued with this, and whoever edited the file is told. */
function noteOtherData(bench: Workbench, spec: RunSpec, options: StudyOptions): void {
  const wanted = canonicalJson(spec.settings)
  const run = runsWithoutStudy(bench.store.db).find(
    (row) => row.status === 'interrupted' && row.stage === spec.stage && canonicalJson(row.config) === wanted,
  )
  if (run === undefined) return
  for (const [name, text] of Object.entries(spec.inputs)) {
    const [then, now] = [run.dataSha256[name], sha256(text)]
    if (then !== undefined && then !== now)
      options.onNote?.(
        `not continuing ${run.runId}: its ${name} data had SHA-256 ${then.slice(0, 12)}…, now ${now.slice(0, 12)}…; a new run begins`,
      )
  }
}

/** The stage reads copies; its complaints name the user's own files. */
async function namingUserFiles<T>(request: TrainRequest, run: PreparedRun, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof BadInput)) throw error
    const own = new Map([[run.input('train'), request.data]])
    if (request.validation !== undefined) own.set(run.input('validation'), request.validation)
    throw new BadInput(own.get(error.subject) ?? error.subject, error.problem, error.where)
  }
}

function outcome(bench: Workbench, request: TrainRequest, run: PreparedRun, summary: StageSummary): TrainOutcome {
  const { db } = bench.store
  const row = requireRow(bench, run)
  const { stage } = request
  const role = stage === 'reward' ? 'reward' : 'policy'
  const hashes = (all: Readonly<Record<string, string>>) => (stage === 'ppo' ? all : (all[role] ?? ''))
  return {
    run_id: run.runId,
    updates: summary.updates,
    history: historyOf(db, run.runId, stage),
    validation: validationsOf(db, run.runId),
    final_learned_sha256: hashes(summary.learnedSha256),
    initial_learned_sha256: hashes(summary.initialSha256),
    base_sha256: summary.baseSha256,
    device: row.device,
    device_reason: row.deviceReason,
    threads: row.threads,
    out: resolve(request.out),
  }
}

function historyOf(db: Db, runId: RunId, stage: TrainRequest['stage']): readonly TrainPoint[] {
  if (stage === 'ppo') return ppoUpdatesOf(db, runId).map(withCommonNames)
  return isGroupStage(stage) ? withRewards(db, runId) : updatesOf(db, runId)
}

/** What was sampled for an update says more of it than its loss, which group advantages hold near 0. */
function withRewards(db: Db, runId: RunId): TrainPoint[] {
  const rewards = new Map(groupIterationsOf(db, runId).map((point) => [point.iteration, point.mean_reward]))
  return groupUpdatesOf(db, runId).map((point) => ({ ...point, mean_reward: rewards.get(point.iteration) ?? null }))
}

function requireRow(bench: Workbench, { runId }: PreparedRun): RunRow {
  const row = runsWithoutStudy(bench.store.db).find((run) => run.runId === runId)
  if (row === undefined) throw new Error(`the store holds no run ${runId}`)
  return row
}

const withCommonNames = (point: PpoUpdatePoint): TrainPoint => ({
  ...point,
  learning_rate: point.actor_learning_rate,
  loss: point.actor_loss,
  grad_norm: point.actor_grad_norm,
})
