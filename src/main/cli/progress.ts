/**
 * Progress of long work on stderr: a bar with rate and time left on a terminal, an occasional plain line elsewhere.
 * The time left disappears rather than guess: it needs two reports of the same phase.
 */
import { count, duration } from './figures.ts'

export interface Progress {
  /** What is being done, e.g. `sft`. */
  readonly phase: string
  /** What it is just now about, e.g. `rollout`; shown on a terminal only. */
  readonly detail?: string
  readonly done: number
  readonly total: number
  /** Units a second, where the work measures it itself (null: not known yet); otherwise measured here. */
  readonly rate?: number | null
  /** Seconds, where the work knows better than rate and total (null: not known). */
  readonly secondsLeft?: number | null
}

export interface ProgressSink {
  report(progress: Progress): void
  /** A line of its own above the bar. */
  note(line: string): void
  /** Takes the bar off the screen. */
  close(): void
}

interface Output {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  write(text: string): unknown
}

/** Pace of one phase, from its first report on; earlier work (a resumed run) does not count as speed. */
class Pace {
  readonly phase: string
  private readonly from: number
  private readonly since: number

  constructor(phase: string, done: number, now: number) {
    this.phase = phase
    this.from = done
    this.since = now
  }

  /** Units a second, or undefined until something was done. */
  of({ done, rate }: Progress, now: number): number | undefined {
    if (rate !== undefined) return rate ?? undefined
    const seconds = (now - this.since) / 1000
    return done > this.from && seconds > 0 ? (done - this.from) / seconds : undefined
  }
}

export function progressOn(output: Output, now: () => number = Date.now): ProgressSink {
  return output.isTTY === true ? new Bar(output, now) : new Lines(output, now)
}

class Bar implements ProgressSink {
  private readonly output: Output
  private readonly now: () => number
  private pace: Pace | undefined
  private line = ''
  private drawnAt = 0

  constructor(output: Output, now: () => number) {
    this.output = output
    this.now = now
  }

  report(progress: Progress): void {
    if (progress.total === 0) return
    const now = this.now()
    const fresh = this.pace?.phase !== progress.phase
    if (this.pace === undefined || fresh) this.pace = new Pace(progress.phase, progress.done, now)
    if (!fresh && progress.done < progress.total && now - this.drawnAt < 80) return
    this.drawnAt = now
    this.draw(barLine(progress, this.pace.of(progress, now), this.output.columns || 80))
  }

  note(line: string): void {
    const bar = this.line
    this.close()
    this.output.write(`${line}\n`)
    if (bar !== '') this.draw(bar)
  }

  close(): void {
    if (this.line !== '') this.output.write('\r\u001b[K')
    this.line = ''
  }

  private draw(line: string): void {
    this.line = line
    this.output.write(`\r\u001b[K${line}`)
  }
}

/** Plain lines: the start and end of every phase, and between them at most one every ten seconds. */
class Lines implements ProgressSink {
  private readonly output: Output
  private readonly now: () => number
  private pace: Pace | undefined
  private writtenAt = 0
  private written = ''

  constructor(output: Output, now: () => number) {
    this.output = output
    this.now = now
  }

  report(progress: Progress): void {
    if (progress.total === 0) return
    const now = this.now()
    const fresh = this.pace?.phase !== progress.phase
    if (this.pace === undefined || fresh) this.pace = new Pace(progress.phase, progress.done, now)
    const place = position(progress)
    if (place === this.written) return
    if (!fresh && progress.done < progress.total && now - this.writtenAt < 10_000) return
    this.writtenAt = now
    this.written = place
    this.note([place, ...pacing(progress, this.pace.of(progress, now))].join(', '))
  }

  note(line: string): void {
    this.output.write(`${line}\n`)
  }

  close(): void {}
}

function position({ phase, done, total }: Progress): string {
  return `${phase} ${count(done)}/${count(total)}`
}

function pacing({ done, total, secondsLeft }: Progress, rate: number | undefined): string[] {
  if (rate === undefined || rate <= 0) return []
  const speed = rate >= 1 ? `${rate.toFixed(1)}/s` : `${(1 / rate).toFixed(1)} s each`
  const left = secondsLeft === undefined ? (total - done) / rate : secondsLeft
  return done < total && left !== null ? [speed, `${duration(left)} left`] : [speed]
}

function barLine(progress: Progress, rate: number | undefined, columns: number): string {
  const share = progress.total > 0 ? Math.min(1, progress.done / progress.total) : 0
  const detail = progress.detail === undefined || progress.detail === progress.phase ? [] : [progress.detail]
  const words = [position(progress), ...detail, ...pacing(progress, rate)].join(' · ')
  const cells = Math.min(30, columns - words.length - 3)
  if (cells < 5) return words.slice(0, Math.max(0, columns - 1))
  const filled = Math.floor(share * cells)
  return `${'█'.repeat(filled)}${'░'.repeat(cells - filled)} ${words}`
}
