/**
 * The one job of a process: it outlives every window, and every window is told the same of it. What was asked to run is
 * checked before it counts as started; how it ended stays to be seen until the next one starts.
 */
import { BadInput } from '../../shared/bad-input.ts'
import type { JobRequest, JobView, WindowEvent } from '../../shared/ipc.ts'
import type { StudyProgress } from '../../shared/study-progress.ts'
import { runningJob } from '../store/compute-lock.ts'
import { markOrphansInterrupted } from '../store/interruptions.ts'
import { allStudies } from '../store/studies.ts'
import { runCreditJob } from './credit/credit-job.ts'
import { runDatcStudy } from './credit/datc-study-job.ts'
import { playDesk } from './credit/desk-job.ts'
import { JobControl } from './job-control.ts'
import { jobElsewhere } from './job-elsewhere.ts'
import { type PreparedCredit, type PreparedJob, prepareJob } from './job-request.ts'
import { StageInterrupted } from './stage-ends.ts'
import { resumeStudy, runStudy, type StudyOptions } from './study-run.ts'
import { Throttle } from './throttle.ts'
import { trainStage } from './train-stage.ts'
import type { Workbench } from './workbench.ts'

const told = { job: 250, changed: 1000, elsewhere: 2000 } as const

/** How it ended; `message` says why where it did not finish. */
interface Ending {
  readonly state: 'finished' | 'interrupted' | 'failed'
  readonly message: string | null
  readonly study_id?: string
  readonly run_id?: string
}

interface Running {
  readonly control: JobControl
  readonly ended: Promise<void>
}

export class JobService {
  readonly #bench: Workbench
  readonly #tell: (event: WindowEvent) => void
  readonly #jobEvents: Throttle
  readonly #changes: Throttle
  readonly #watching: ReturnType<typeof setInterval>
  #view: JobView | null
  #running: Running | null = null
  #elsewhere: JobView | null = null
  #dataVersion: unknown
  #closed = false

  constructor(bench: Workbench, tell: (event: WindowEvent) => void) {
    this.#bench = bench
    this.#tell = tell
    this.#view = leftBehind(bench)
    this.#jobEvents = new Throttle(told.job, () => tell({ type: 'job', job: this.current() }))
    this.#changes = new Throttle(told.changed, () => tell({ type: 'changed', study_id: this.#view?.study_id ?? null }))
    this.#lookElsewhere()
    this.#watching = setInterval(() => this.#lookElsewhere(), told.elsewhere)
    this.#watching.unref()
  }

  current(): JobView | null {
    return this.#running === null ? (this.#elsewhere ?? this.#view) : this.#view
  }

  get isRunning(): boolean {
    return this.#running !== null
  }

  /** Throws `BadInput` for a request that cannot be run, or while another job runs. */
  async start(request: JobRequest): Promise<JobView> {
    if (this.#running !== null) throw new BadInput(this.#view?.title ?? 'a job', 'is running; stop it first')
    const other = runningJob(this.#bench.store.db, this.#bench.now())
    if (other !== null && other.pid !== process.pid) {
      throw new BadInput(other.what, `is running in another program (process ${other.pid}); stop it there first`)
    }
    const job = prepareJob(this.#bench, request)
    const before = this.#view
    this.#view = {
      kind: job.kind,
      title: job.title,
      study_id: job.kind === 'resume' ? job.studyId : null,
      run_id: null,
      started_at: this.#bench.now().toISOString(),
      state: 'waiting',
      message: null,
      progress: null,
    }
    const control = new JobControl()
    let refused: BadInput | null = null
    let begun = false
    const ended = this.#run(job, control).then(
      (ending) => this.#end(ending),
      (error: unknown) => {
        if (!begun && error instanceof BadInput) refused = error
        else this.#end(endingOf(error))
      },
    )
    this.#running = { control, ended }
    // What is refused at once (no such folder, no room on the disk) was never started.
    await new Promise((done) => setImmediate(done))
    begun = true
    if (refused !== null) {
      this.#running = null
      this.#view = before
      throw refused
    }
    this.#jobEvents.now()
    this.#changes.now()
    return this.#view
  }

  pause(): JobView | null {
    this.#requireOwn()
    this.#running?.control.pause()
    this.#follow()
    return this.current()
  }

  resume(): JobView | null {
    this.#requireOwn()
    this.#running?.control.resume()
    this.#follow()
    return this.current()
  }

  stop(): JobView | null {
    this.#requireOwn()
    this.#running?.control.stop()
    this.#follow()
    return this.current()
  }

  /** Stops what runs at its next atomic update; what has not stopped in time is ended, and its last commit stands. */
  async close(patienceMs: number): Promise<void> {
    this.#closed = true
    clearInterval(this.#watching)
    const running = this.#running
    if (running !== null) {
      running.control.stop()
      this.#follow()
      const late = setTimeout(() => running.control.kill(), patienceMs)
      await running.ended
      clearTimeout(late)
    }
    this.#jobEvents.end()
    this.#changes.end()
  }

  #requireOwn(): void {
    const job = this.current()
    if (job?.other_process === undefined) return
    throw new BadInput(job.title, `runs in another program (process ${job.other_process}); pause or stop it there`)
  }

  async #run(job: PreparedJob | PreparedCredit, control: JobControl): Promise<Ending> {
    const options: StudyOptions = {
      control,
      onProgress: (progress) => this.#progress(progress),
      onNote: (note) => this.#note(note),
    }
    if (job.kind === 'train') {
      const { run_id } = await trainStage(this.#bench, job.request, options)
      return { state: 'finished', message: null, run_id }
    }
    if (job.kind === 'credit-audit' || job.kind === 'credit-datc') {
      const run_id = await runCreditJob(this.#bench, job.request, options)
      return { state: 'finished', message: null, run_id }
    }
    if (job.kind === 'credit-datc-study') {
      return { state: 'finished', message: null, run_id: await runDatcStudy(this.#bench, job.request, options) }
    }
    if (job.kind === 'desk') {
      return { state: 'finished', message: null, run_id: await playDesk(this.#bench, job.request, options) }
    }
    const { status, reason, study_id } =
      job.kind === 'study'
        ? await runStudy(this.#bench, job.request, options)
        : await resumeStudy(this.#bench, job.studyId, job.request, options)
    return status === 'finished'
      ? { state: 'finished', message: null, study_id }
      : { state: 'interrupted', message: reason, study_id }
  }

  #progress(progress: StudyProgress): void {
    if (this.#view === null) return
    const { study_id, run_id } = progress
    this.#view = { ...this.#view, study_id: study_id ?? this.#view.study_id, run_id, progress }
    this.#follow()
    this.#changes.soon()
  }

  #note(note: string): void {
    if (this.#view !== null) this.#view = { ...this.#view, message: note }
  }

  /** The control is told first; the view says the same, with when a stop takes effect. */
  #follow(): void {
    if (this.#running === null || this.#view === null) return
    const { state } = this.#running.control
    const { progress } = this.#view
    const shown = state === 'running' && progress === null ? 'waiting' : state
    const message = state === 'stopping' ? whenItStops(progress) : this.#view.state === 'stopping' ? null : undefined
    const changed = shown !== this.#view.state
    this.#view = {
      ...this.#view,
      state: shown,
      progress: progress === null ? null : { ...progress, state },
      ...(message === undefined ? {} : { message }),
    }
    if (changed) this.#jobEvents.now()
    else this.#jobEvents.soon()
  }

  #end(ending: Ending): void {
    this.#running = null
    if (this.#view !== null) this.#view = { ...this.#view, ...ending }
    if (this.#closed) return
    this.#jobEvents.now()
    this.#changes.now()
  }

  /** Other programs write into the same store: what they change is told, and what they run is shown. */
  #lookElsewhere(): void {
    if (this.#running !== null) return
    try {
      const { db } = this.#bench.store
      markOrphansInterrupted(db)
      const version = db.pragma('data_version', { simple: true })
      const changed = this.#dataVersion !== undefined && version !== this.#dataVersion
      this.#dataVersion = version
      const before = JSON.stringify(this.#elsewhere)
      this.#elsewhere = jobElsewhere(this.#bench)
      if (changed) this.#tell({ type: 'changed', study_id: null })
      if (before !== JSON.stringify(this.#elsewhere)) this.#jobEvents.now()
    } catch {
      // A store that is busy or gone is told to whoever asks for something; a look into it is no request.
    }
  }
}

function endingOf(error: unknown): Ending {
  const message = error instanceof Error ? error.message : String(error)
  return { state: error instanceof StageInterrupted ? 'interrupted' : 'failed', message }
}

const units: Readonly<Record<string, string>> = {
  ppo: 'iteration',
  sft: 'update',
  reward: 'update',
  train: 'update',
  credit: 'pass',
}

function whenItStops(progress: StudyProgress | null): string {
  const unit = progress === null ? 'step' : (units[progress.stage] ?? 'step')
  const seconds = progress?.rate ? Math.ceil(1 / progress.rate) : null
  const within = seconds === null ? '' : `, within about ${seconds} s`
  return `stops after the ${unit} at hand${within}; what was done until then is kept`
}

/** After a restart: the newest study, where it was cut off. */
function leftBehind({ store: { db } }: Workbench): JobView | null {
  const study = allStudies(db)[0]
  if (study?.status !== 'interrupted') return null
  return {
    kind: 'study',
    title: study.name,
    study_id: study.studyId,
    run_id: null,
    started_at: study.createdAt,
    state: 'interrupted',
    message: 'it was stopped, or the program that ran it ended; it can go on from its last update',
    progress: null,
  }
}
