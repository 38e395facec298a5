/** What stands in a run's log: the words for what a stage process reports, is asked, and ends with. */
import { byteText } from '../../shared/byte-text.ts'
import type { StageEvent, StageJob } from '../../shared/stage.ts'
import type { StageEnd } from '../jobs/stage-host.ts'
import { significant } from '../report/number-text.ts'
import type { RunRow } from '../store/runs.ts'
import type { JobCommand } from './job-control.ts'
import type { RunLog } from './run-log.ts'

/** A small model commits hundreds of updates a second; the curves hold every one of them. */
const commitEveryMs = 1000

const asked: Readonly<Record<JobCommand, string>> = {
  stop: 'stop asked for; it takes effect between two updates, or two batches of rows',
  pause: 'pause asked for; it takes effect between two updates, or two batches of rows',
  resume: 'asked to go on',
  kill: 'ended at once by request; the last commit stands',
}

/** Kinds with which a session closes; a log that ends otherwise was cut off. */
const closing: ReadonlySet<string> = new Set(['end', 'failure'])

export class StageLog {
  readonly #log: RunLog
  readonly #clock: () => number
  #phase: string | null = null
  #paused = false
  #ended = false
  #stderr = ''
  #withheld: string | null = null
  #committedAt = Number.NEGATIVE_INFINITY

  /** @param clock milliseconds */
  constructor(log: RunLog, clock: () => number) {
    this.#log = log
    this.#clock = clock
  }

  begin({ updatesDone, updatesTotal }: RunRow, job: StageJob, codeVersion: string): void {
    const last = this.#log.last
    if (last !== undefined && !closing.has(last.kind)) {
      this.#log.add('note', 'the session before ended without a word: its program was killed, or the machine stopped')
    }
    const threads = job.threads === 1 ? '1 thread' : `${job.threads} threads`
    const from = updatesDone > 0 ? `; goes on after update ${updatesDone} of ${updatesTotal}` : ''
    this.#log.add('session', `${job.stage} begins: code ${codeVersion}, device ${job.device}, ${threads}${from}`)
  }

  follow(event: StageEvent): void {
    if (this.#paused && event.type !== 'paused') {
      this.#paused = false
      this.#add('state', 'goes on')
    }
    switch (event.type) {
      case 'ready': {
        const threads = event.threads === 1 ? '1 thread' : `${event.threads} threads`
        this.#add('session', `computes on ${event.device}, ${threads} (${event.deviceReason})`)
        break
      }
      case 'progress':
        if (event.phase !== this.#phase) this.#add('phase', `${event.phase}, ${event.done} of ${event.total}`)
        this.#phase = event.phase
        break
      case 'committed':
        this.#commit(`update ${event.done} of ${event.total} on disk${metricsText(event.metrics)}`)
        break
      case 'paused':
        if (!this.#paused) this.#add('state', 'paused')
        this.#paused = true
        break
      case 'finished':
      case 'failed':
        // Said once more, with what it means, when the process is gone.
        break
    }
  }

  /** As it arrives: in pieces, not in lines. */
  stderr(text: string): void {
    const lines = (this.#stderr + text).split(/\r?\n/)
    this.#stderr = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') this.#add('stderr', line)
  }

  asked(command: JobCommand): void {
    this.#add('request', asked[command])
  }

  note(text: string): void {
    this.#add('note', text)
  }

  end(end: StageEnd, activeSeconds: number): void {
    this.stderr('\n')
    this.#ended = true
    const failed = end.kind === 'bad-input' || end.kind === 'failed'
    this.#add(failed ? 'failure' : 'end', endText(end, `worked ${activeSeconds.toFixed(1)} s`))
  }

  /** The workbench itself could not begin or go on; nothing where the stage's own end is told already. */
  fault(error: unknown): void {
    if (this.#ended) return
    this.#add('failure', `failed: ${error instanceof Error ? error.message : String(error)}`)
  }

  /** At most one a second; the last before anything else is never left out. */
  #commit(text: string): void {
    const now = this.#clock()
    if (now - this.#committedAt < commitEveryMs) {
      this.#withheld = text
      return
    }
    this.#withheld = null
    this.#committedAt = now
    this.#log.add('commit', text)
  }

  #add(kind: Parameters<RunLog['add']>[0], text: string): void {
    if (this.#withheld !== null) this.#log.add('commit', this.#withheld)
    this.#withheld = null
    this.#log.add(kind, text)
  }
}

function endText(end: StageEnd, worked: string): string {
  switch (end.kind) {
    case 'finished': {
      const { updates, total, peakRssBytes } = end.summary
      const done = total > 0 ? `${updates} of ${total} updates, ` : ''
      return `finished: ${done}${worked}, peak memory ${byteText(peakRssBytes)}`
    }
    case 'interrupted':
      return `interrupted: ${end.reason}; ${worked}`
    case 'bad-input':
      return `refused: ${end.subject}: ${end.problem}${end.where === undefined ? '' : ` (${end.where})`}`
    case 'failed':
      return `failed (${end.cause}): ${end.message}`
  }
}

/** The first few, so that a line stays a line; the curves hold them all. */
function metricsText(metrics: Readonly<Record<string, number>>): string {
  return Object.entries(metrics)
    .slice(0, 4)
    .map(([name, value]) => ` · ${name.replaceAll('_', ' ')} ${significant(value)}`)
    .join('')
}
