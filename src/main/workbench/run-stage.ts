/** One stage process from start to end: its rows in the store, its progress, and what its end means. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import type { RunId } from '../../shared/ids.ts'
import type { StageEvent, StageJob, StageSummary } from '../../shared/stage.ts'
import type { StageName } from '../../shared/study-document.ts'
import type { OnProgress } from '../../shared/study-progress.ts'
import { flushCommit } from '../jobs/durable-commit.ts'
import { JournalIngest } from '../jobs/journal-ingest.ts'
import type { StageEnd } from '../jobs/stage-host.ts'
import { programPlaces } from '../jobs/stage-permissions.ts'
import type { ComputeLock } from '../store/compute-lock.ts'
import { fullDisk, homeFault } from '../store/home-faults.ts'
import { storeFile } from '../store/open-store.ts'
import { decodeOwner, encodeOwner, isAlive, processOwner, thisProcess } from '../store/process-owner.ts'
import { findRun, type RunRow, updateRun } from '../store/runs.ts'
import type { JobControl } from './job-control.ts'
import { cacheDir, studiesDir } from './places.ts'
import { ProgressMeter } from './progress-meter.ts'
import { RunLog } from './run-log.ts'
import { StageFailed, StageInterrupted } from './stage-ends.ts'
import { StageLog } from './stage-log.ts'
import type { Workbench } from './workbench.ts'

const heartbeatMs = 10_000

export interface StageWork {
  readonly bench: Workbench
  readonly lock: ComputeLock
  readonly control: JobControl
  readonly onProgress: OnProgress
}

export interface StageRequest {
  readonly runId: RunId
  readonly job: StageJob
  /** Under which name progress is shown. */
  readonly shownAs: StageName | 'train' | 'credit'
  /** Take the journal into the store; not for runs that only repeat another to prove something. */
  readonly ingest: boolean
  /** Stands before the phase in progress messages. */
  readonly phasePrefix?: string
  /** A run that is meant to stop early ends well as `interrupted`. */
  readonly stopsEarly?: boolean
}

/**
 * Runs the stage and returns its summary. The run's row ends as finished, interrupted or failed.
 * Throws `StageInterrupted`, `StageFailed`, or `BadInput` when the stage refused its input.
 */
export async function runStage(work: StageWork, request: StageRequest): Promise<StageSummary> {
  const { bench, control } = work
  const { runId, job } = request
  if (control.state === 'stopping') throw new StageInterrupted('stopped before the stage began')
  const before = requireRun(work, runId)
  await endOrphan(before)
  begin(work, runId)
  const host = bench.stageHost(placesOf(bench))
  const ingest = request.ingest ? new JournalIngest(bench.store.db, runId, job.runDir) : null
  const meter = new ProgressMeter(() => bench.now().getTime())
  const ticking = setInterval(() => meter.tick(), 1000)
  const beating = setInterval(() => work.lock.heartbeat(), heartbeatMs)
  const follower = new Follower(work, request, meter, ingest)
  const log = new StageLog(new RunLog(job.runDir, bench.now), () => bench.now().getTime())
  log.begin(before, job, bench.codeVersion)
  host.onStderr((text) => log.stderr(text))
  host.onEvent((event) => {
    if (event.type === 'ready') noteProcess(work, runId, host.pid, event)
    follower.follow(event)
    log.follow(event)
  })
  try {
    const ended = host.start(job)
    control.attach(host, (command) => log.asked(command))
    const end = await ended
    meter.tick()
    ingest?.commitAll()
    if (meter.sleptSeconds > 0) log.note(`the machine slept for ${Math.round(meter.sleptSeconds)} s in this session`)
    log.end(end, meter.activeSeconds)
    return conclude(work, request, end, meter)
  } catch (error) {
    log.fault(error)
    if (!isConclusion(error)) failRun(work, runId, error)
    throw error
  } finally {
    clearInterval(ticking)
    clearInterval(beating)
    control.attach(null)
  }
}

function requireRun({ bench }: StageWork, runId: RunId): RunRow {
  const run = findRun(bench.store.db, runId)
  if (run === null) throw new Error(`the store holds no run ${runId}`)
  return run
}

/** Everything of the user's that no stage may read: the store, and what each study keeps apart from its runs. */
export function placesOf({ home }: Workbench) {
  const studies = studiesDir(home)
  const apart = existsSync(studies)
    ? readdirSync(studies).flatMap((study) => ['corpus', 'results', 'report'].map((part) => join(studies, study, part)))
    : []
  return { program: programPlaces(), cache: cacheDir(home), forbidden: [storeFile(home), studies, ...apart] }
}

function begin({ bench }: StageWork, runId: RunId): void {
  const now = bench.now().toISOString()
  updateRun(bench.store.db, runId, {
    status: 'running',
    owner: encodeOwner(thisProcess()),
    startedAt: requireRunStart(bench, runId) ?? now,
    finishedAt: null,
    error: null,
    errorKind: null,
  })
}

const requireRunStart = (bench: Workbench, runId: RunId) => findRun(bench.store.db, runId)?.startedAt ?? null

function noteProcess(
  { bench }: StageWork,
  runId: RunId,
  pid: number | null,
  { device, deviceReason, threads }: Extract<StageEvent, { type: 'ready' }>,
): void {
  const owner = pid === null ? null : processOwner(pid)
  const stageProcess = owner === null ? null : encodeOwner(owner)
  updateRun(bench.store.db, runId, { device, deviceReason, threads, stageProcess })
}

/** A stage process that outlived its workbench would write into the same folder: it is ended first. */
async function endOrphan({ stageProcess }: RunRow): Promise<void> {
  if (stageProcess === null) return
  const orphan = decodeOwner(stageProcess)
  if (!isAlive(orphan)) return
  process.kill(orphan.pid, 'SIGKILL')
  for (let waited = 0; isAlive(orphan) && waited < 5000; waited += 20) {
    await new Promise((done) => setTimeout(done, 20))
  }
}

/** Turns the stage's events into progress and rows. */
class Follower {
  readonly #work: StageWork
  readonly #request: StageRequest
  readonly #meter: ProgressMeter
  readonly #ingest: JournalIngest | null
  #phase = 'starting'
  #total = 0
  #done = 0
  #metrics: Readonly<Record<string, number>> = {}

  constructor(work: StageWork, request: StageRequest, meter: ProgressMeter, ingest: JournalIngest | null) {
    this.#work = work
    this.#request = request
    this.#meter = meter
    this.#ingest = ingest
  }

  follow(event: StageEvent): void {
    switch (event.type) {
      case 'ready':
        break
      case 'progress':
        this.#phase = event.phase
        this.#advance(event.done, event.total)
        break
      case 'committed':
        flushCommit(this.#request.job.runDir)
        this.#ingest?.commit(event.journalBytes)
        this.#metrics = event.metrics
        this.#advance(event.done, event.total)
        updateRun(this.#work.bench.store.db, this.#request.runId, {
          updatesDone: event.done,
          updatesTotal: event.total,
        })
        break
      case 'paused':
        this.#meter.pause(true)
        break
      case 'finished':
        if (event.status === 'finished') this.#advance(this.#total, this.#total)
        break
      case 'failed':
        return
    }
    this.#show()
  }

  #advance(done: number, total: number): void {
    if (done > this.#done && this.#work.control.state !== 'paused') this.#meter.pause(false)
    this.#done = done
    this.#total = total
    this.#meter.report(done)
  }

  #show(): void {
    const { value, rate, secondsLeft, suspendedSeconds } = this.#meter.pace(this.#total)
    const { runId, shownAs } = this.#request
    this.#work.onProgress({
      study_id: requireRun(this.#work, runId).studyId,
      run_id: runId,
      stage: shownAs,
      phase: (this.#request.phasePrefix ?? '') + this.#phase,
      done: this.#done,
      total: this.#total,
      value,
      rate,
      seconds_left: secondsLeft,
      state: this.#work.control.state,
      suspended_seconds: suspendedSeconds,
      metrics: this.#metrics,
    })
  }
}

function isConclusion(error: unknown): boolean {
  return error instanceof StageInterrupted || error instanceof StageFailed || error instanceof BadInput
}

function failRun({ bench }: StageWork, runId: RunId, error: unknown): void {
  const fault = homeFault(bench.home, error)
  const message = fault instanceof Error ? fault.message : String(fault)
  // What the home's own state ended goes on from its last commit once the home is well again.
  const status = fault instanceof BadInput ? 'interrupted' : 'failed'
  try {
    updateRun(bench.store.db, runId, { status, owner: null, stageProcess: null, error: message })
  } catch {
    // A full disk refuses this too; the first error is the one to tell.
  }
}

function conclude(work: StageWork, request: StageRequest, end: StageEnd, meter: ProgressMeter): StageSummary {
  const { db } = work.bench.store
  const { runId } = request
  const summary = end.kind === 'finished' || end.kind === 'interrupted' ? end.summary : null
  const spent = addSeconds(requireRun(work, runId).seconds, {
    ...(summary?.seconds ?? {}),
    active: meter.activeSeconds,
    ...(meter.sleptSeconds > 0 ? { suspended: meter.sleptSeconds } : {}),
  })
  const closed = { owner: null, stageProcess: null, seconds: spent }
  switch (end.kind) {
    case 'finished':
      updateRun(db, runId, {
        ...closed,
        status: 'finished',
        summary: end.summary,
        baseSha256: end.summary.baseSha256,
        updatesDone: end.summary.updates,
        updatesTotal: end.summary.total,
        finishedAt: work.bench.now().toISOString(),
      })
      return end.summary
    case 'interrupted':
      updateRun(db, runId, { ...closed, status: 'interrupted', error: end.reason })
      if (end.fullDisk === true) throw new BadInput(work.bench.home, fullDisk)
      if (request.stopsEarly === true && end.summary !== null && work.control.state !== 'stopping') return end.summary
      throw new StageInterrupted(end.reason)
    case 'bad-input': {
      const fault = new BadInput(end.subject, end.problem, end.where)
      updateRun(db, runId, { ...closed, status: 'failed', error: fault.message, errorKind: 'bad-input' })
      throw fault
    }
    case 'failed':
      updateRun(db, runId, { ...closed, status: 'failed', error: end.message, errorKind: end.cause })
      throw new StageFailed(end.cause, end.message)
  }
}

function addSeconds(before: Readonly<Record<string, number>>, more: Readonly<Record<string, number>>) {
  const sum: Record<string, number> = { ...before }
  for (const [name, value] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + value
  return sum
}
