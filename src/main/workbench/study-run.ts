/** Runs a study from its first unfinished stage to its report, and ends it with the status it deserves. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { newStudyId, type StudyId } from '../../shared/ids.ts'
import type { DeviceName } from '../../shared/stage.ts'
import type { ResumeCheck, RunStatus, StageName, StageRecord } from '../../shared/study-document.ts'
import type { OnProgress } from '../../shared/study-progress.ts'
import type { StudyResults } from '../../shared/study-results.ts'
import { type ComputeLock, takeComputeLock } from '../store/compute-lock.ts'
import { recordProvenance } from '../store/facts.ts'
import { homeFault, withHomeFaults } from '../store/home-faults.ts'
import { markOrphansInterrupted } from '../store/interruptions.ts'
import { encodeOwner, thisProcess } from '../store/process-owner.ts'
import { endStage, insertStages, stagesOf, startStage } from '../store/stages.ts'
import { findStudy, insertStudy, type StudyRow, updateStudy } from '../store/studies.ts'
import { continuable } from './continuable-study.ts'
import { checkRoom, studyBytes } from './disk-space.ts'
import { JobControl } from './job-control.ts'
import { modelFiles, requireSameModel } from './model-folder.ts'
import { defaultThreads } from './processor-cores.ts'
import { ProgressMeter } from './progress-meter.ts'
import { machineProvenance } from './provenance.ts'
import { requireDevice } from './require-device.ts'
import { checkResume } from './resume-check.ts'
import { showStudy } from './show-study.ts'
import { StageInterrupted } from './stage-ends.ts'
import { corpusStage, readCorpus } from './stages/corpus-stage.ts'
import { evaluationStage } from './stages/evaluation-stage.ts'
import { learningStage } from './stages/learning-stages.ts'
import { probesStage } from './stages/probes-stage.ts'
import { reportStage } from './stages/report-stage.ts'
import { type ConfigChoice, chooseConfig, configSha256, requireSameConfig } from './study-config.ts'
import type { StudyWork } from './study-work.ts'
import { requireStudy, type Workbench } from './workbench.ts'

export interface StudyRequest extends ConfigChoice {
  /** Folder of the base model. */
  readonly model: string
  readonly name?: string
  /** Where the report goes besides the study's own folder. */
  readonly out?: string
  /** Also prove for each learning stage that an interrupted run equals a continuous one. */
  readonly verifyResume?: boolean
  /** Default `auto`. */
  readonly device?: DeviceName
  /** Default: one a physical core. */
  readonly threads?: number
  /** Begin anew where the same study stands interrupted. */
  readonly fresh?: boolean
}

export interface ResumeRequest {
  /** Where the base model lies now; default: where it lay. */
  readonly model?: string
  /** Given only to be compared with the study's own. */
  readonly config?: ConfigChoice
  readonly out?: string
}

export interface StudyOptions {
  readonly onProgress?: OnProgress
  readonly control?: JobControl
  /** Remarks for people: what is continued, little disk space. */
  readonly onNote?: (line: string) => void
}

export interface StudyOutcome {
  readonly study_id: string
  readonly status: RunStatus
  readonly stages: readonly StageRecord[]
  readonly results: StudyResults | null
  readonly final_learned_sha256: Readonly<Record<string, string>>
  /** One a learning stage whose exact resume was proved; empty unless that was asked for. */
  readonly resume_checks: readonly ResumeCheck[]
  /** Absolute paths. */
  readonly report_files: readonly string[]
  /** Why it stands still, when it was interrupted. */
  readonly reason: string | null
}

/**
 * Runs a study, going on with the newest one of the same settings, model, device and threads that was interrupted or
 * failed. Returns with status `interrupted` when it was stopped.
 * Throws `BadInput` for unusable input, changed data or another running job, and an error when a stage fails.
 */
export function runStudy(bench: Workbench, request: StudyRequest, options: StudyOptions = {}): Promise<StudyOutcome> {
  return withHomeFaults(bench.home, () => beginOrContinue(bench, request, options))
}

async function beginOrContinue(bench: Workbench, request: StudyRequest, options: StudyOptions): Promise<StudyOutcome> {
  const config = chooseConfig(request)
  const model = resolve(request.model)
  const files = modelFiles(model)
  const wanted = {
    configSha256: configSha256(config),
    device: request.device ?? 'auto',
    threads: request.threads ?? defaultThreads(),
    verifyResume: request.verifyResume ?? false,
  }
  markOrphansInterrupted(bench.store.db)
  const left = request.fresh === true ? null : continuable(bench, wanted, files)
  if (left !== null) {
    options.onNote?.(`continuing ${left.studyId}`)
    return workOn(bench, left, model, request.out, options)
  }
  const room = checkRoom(bench.home, studyBytes(config, model, Object.keys(files), wanted.verifyResume))
  if (room !== null) options.onNote?.(room)
  const lock = takeComputeLock(bench.store, 'a study', bench.now)
  try {
    await requireDevice(bench, { ...wanted, model }, options.control)
    const row: StudyRow = {
      ...wanted,
      studyId: unusedStudyId(bench),
      name: request.name ?? config.name,
      preset: request.config === undefined ? (request.preset ?? 'embedded') : config.name,
      status: 'queued',
      seed: config.seed,
      config,
      codeVersion: bench.codeVersion,
      modelDir: model,
      modelFiles: files,
      baseSha256: null,
      deviceReason: null,
      corpusManifestSha256: null,
      corpusAudit: null,
      reportFiles: [],
      owner: null,
      error: null,
      errorStage: null,
      createdAt: bench.now().toISOString(),
      finishedAt: null,
    }
    bench.store.db.transaction(() => {
      insertStudy(bench.store.db, row)
      insertStages(bench.store.db, row.studyId)
    })()
    return await underLock(bench, row, model, request.out, options, lock)
  } finally {
    lock.release()
  }
}

/** Goes on with one study. A finished one is returned as it is. Throws as `runStudy`. */
export function resumeStudy(
  bench: Workbench,
  id: string,
  request: ResumeRequest = {},
  options: StudyOptions = {},
): Promise<StudyOutcome> {
  return withHomeFaults(bench.home, () => resume(bench, id, request, options))
}

async function resume(
  bench: Workbench,
  id: string,
  request: ResumeRequest,
  options: StudyOptions,
): Promise<StudyOutcome> {
  markOrphansInterrupted(bench.store.db)
  const study = requireStudy(bench, id)
  if (request.config !== undefined) requireSameConfig(request.config, study.configSha256)
  if (study.status === 'finished') return outcome(bench, study.studyId, null)
  const model = resolve(request.model ?? study.modelDir)
  if (request.model === undefined && !existsSync(model)) {
    throw new BadInput(id, `its base model ${study.modelDir} is not here; name its folder with --model`)
  }
  requireSameModel(model, study.modelFiles)
  return workOn(bench, study, model, request.out, options)
}

function unusedStudyId(bench: Workbench): StudyId {
  for (;;) {
    const id = newStudyId(bench.now(), bench.random)
    if (findStudy(bench.store.db, id) === null) return id
  }
}

async function workOn(
  bench: Workbench,
  study: StudyRow,
  model: string,
  out: string | undefined,
  options: StudyOptions,
): Promise<StudyOutcome> {
  const lock = takeComputeLock(bench.store, `study ${study.studyId}`, bench.now)
  try {
    await requireDevice(bench, { ...study, device: study.device as DeviceName, model }, options.control)
    return await underLock(bench, study, model, out, options, lock)
  } finally {
    lock.release()
  }
}

async function underLock(
  bench: Workbench,
  study: StudyRow,
  modelDir: string,
  out: string | undefined,
  options: StudyOptions,
  lock: ComputeLock,
): Promise<StudyOutcome> {
  const { db } = bench.store
  const { studyId } = study
  const work: StudyWork = {
    bench,
    lock,
    control: options.control ?? new JobControl(),
    onProgress: options.onProgress ?? (() => {}),
    study,
    config: study.config,
    modelDir,
    corpus: null,
    out: out === undefined ? null : resolve(out),
  }
  updateStudy(db, studyId, {
    status: 'running',
    owner: encodeOwner(thisProcess()),
    error: null,
    errorStage: null,
    modelDir,
  })
  recordProvenance(db, studyId, machineProvenance(db, bench.codeVersion))
  for (const { name, status } of stagesOf(db, studyId)) {
    if (status === 'finished') continue
    const ended = await oneStage(work, name)
    if (ended !== null) return outcome(bench, studyId, ended)
  }
  updateStudy(db, studyId, { status: 'finished', owner: null, finishedAt: bench.now().toISOString() })
  return outcome(bench, studyId, null)
}

const stageWork: Readonly<Record<StageName, (work: StudyWork) => Promise<void>>> = {
  corpus: corpusStage,
  sft: (work) => learnAndVerify(work, 'sft'),
  reward: (work) => learnAndVerify(work, 'reward'),
  ppo: (work) => learnAndVerify(work, 'ppo'),
  evaluation: evaluationStage,
  probes: probesStage,
  report: reportStage,
}

async function learnAndVerify(work: StudyWork, stage: 'sft' | 'reward' | 'ppo'): Promise<void> {
  await learningStage(work, stage)
  if (work.study.verifyResume) await checkResume(work, stage)
}

/** Null when the stage finished; the reason when the study was stopped in it. Throws when it failed. */
async function oneStage(work: StudyWork, name: StageName): Promise<string | null> {
  const { bench, study } = work
  const { db } = bench.store
  const meter = new ProgressMeter(() => bench.now().getTime())
  const ticking = setInterval(() => meter.tick(), 1000)
  const end = (status: RunStatus, error: string | null) => {
    meter.tick()
    const now = bench.now().toISOString()
    db.transaction(() => {
      endStage(db, study.studyId, name, { status, seconds: meter.activeSeconds, now, error })
      if (status !== 'finished') {
        updateStudy(db, study.studyId, { status, owner: null, error, errorStage: error === null ? null : name })
      }
    })()
  }
  startStage(db, study.studyId, name, bench.now().toISOString())
  try {
    if (work.control.state === 'stopping') throw new StageInterrupted('stopped between two stages')
    if (name !== 'corpus' && work.corpus === null) readCorpus(work)
    await stageWork[name](work)
    end('finished', null)
    return null
  } catch (error) {
    if (error instanceof StageInterrupted) {
      end('interrupted', null)
      return error.message
    }
    const fault = homeFault(bench.home, error)
    // A full disk may refuse this too; opening the store again then finds the owner gone and marks it interrupted.
    try {
      end('failed', fault instanceof Error ? fault.message : String(fault))
    } catch {}
    throw fault
  } finally {
    clearInterval(ticking)
  }
}

function outcome(bench: Workbench, studyId: StudyId, reason: string | null): StudyOutcome {
  const document = showStudy(bench, studyId)
  return {
    study_id: document.study_id,
    status: document.status,
    stages: document.stages,
    results: document.results,
    final_learned_sha256: document.final_learned_sha256,
    resume_checks: document.resume_checks,
    report_files: document.report_files,
    reason,
  }
}
