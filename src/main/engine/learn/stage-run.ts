/** The running of a stage as seen from inside: reporting, and the requests that take effect between updates. */
import type { StageEvent } from '../../../shared/stage.ts'

export class StageRun {
  private readonly emit: (event: StageEvent) => void
  private stopping = false
  private pausing = false
  private wake: (() => void) | undefined

  constructor(emit: (event: StageEvent) => void) {
    this.emit = emit
  }

  report(event: StageEvent): void {
    this.emit(event)
  }

  progress(phase: string, done: number, total: number): void {
    this.emit({ type: 'progress', phase, done, total })
  }

  stop(): void {
    this.stopping = true
    this.wake?.()
  }

  pause(): void {
    this.pausing = true
  }

  resume(): void {
    this.pausing = false
    this.wake?.()
  }

  /** Lets waiting requests in; waits while paused. @returns whether to stop here */
  async boundary(): Promise<boolean> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.pausing && !this.stopping) {
      this.emit({ type: 'paused' })
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
      this.wake = undefined
    }
    return this.stopping
  }
}

/** Seconds by phase, kept apart from everything comparable. */
export class PhaseClock {
  readonly seconds: Record<string, number> = {}

  async time<T>(phase: string, work: () => Promise<T>): Promise<T> {
    const start = performance.now()
    try {
      return await work()
    } finally {
      this.seconds[phase] = (this.seconds[phase] ?? 0) + (performance.now() - start) / 1000
    }
  }
}

/** Seconds by phase since an earlier reading of the same clock. */
export function secondsSince(
  before: Readonly<Record<string, number>>,
  now: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(Object.entries(now).map(([phase, seconds]) => [phase, seconds - (before[phase] ?? 0)]))
}
