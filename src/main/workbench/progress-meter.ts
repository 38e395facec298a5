/** Rate and time left of one stage, from this session's own work and without the time the machine slept. */

/** A silence of the clock longer than this is a suspended machine or a stopped process, not slow work. */
const sleepAfterMs = 15_000

export interface Pace {
  /** 0..1; below 1 until all is done. */
  readonly value: number
  /** Units a second; null until two reports of progress. */
  readonly rate: number | null
  readonly secondsLeft: number | null
  /** Seconds the machine slept since the last reading. */
  readonly suspendedSeconds: number
}

export class ProgressMeter {
  readonly #now: () => number
  #last: number
  #activeMs = 0
  #suspendedMs = 0
  #allSuspendedMs = 0
  #paused = false
  #first: { readonly done: number; readonly at: number } | null = null
  #latest: { readonly done: number; readonly at: number } | null = null

  /** @param now wall-clock milliseconds, which go on while the machine sleeps */
  constructor(now: () => number = Date.now) {
    this.#now = now
    this.#last = now()
  }

  /** Call every second or so: what lies between two calls is work, or sleep when it is long. */
  tick(): void {
    const now = this.#now()
    const gap = now - this.#last
    this.#last = now
    if (gap > sleepAfterMs) {
      this.#suspendedMs += gap
      this.#allSuspendedMs += gap
    } else if (!this.#paused) {
      // A clock that was set back has counted no time.
      this.#activeMs += Math.max(0, gap)
    }
  }

  /** While paused no time counts as work. */
  pause(paused: boolean): void {
    this.tick()
    this.#paused = paused
  }

  report(done: number): void {
    this.tick()
    this.#first ??= { done, at: this.#activeMs }
    this.#latest = { done, at: this.#activeMs }
  }

  /** Seconds of work in this session. */
  get activeSeconds(): number {
    return this.#activeMs / 1000
  }

  /** Seconds that the machine slept in this session. */
  get sleptSeconds(): number {
    return this.#allSuspendedMs / 1000
  }

  /** Reads, and forgets the sleep it tells of. */
  pace(total: number): Pace {
    const suspendedSeconds = this.#suspendedMs / 1000
    this.#suspendedMs = 0
    const done = this.#latest?.done ?? 0
    const rate = this.#rate()
    return {
      value: total > 0 ? Math.min(1, Math.max(0, done / total)) : 0,
      rate,
      secondsLeft: rate === null ? null : Math.max(0, (total - done) / rate),
      suspendedSeconds,
    }
  }

  #rate(): number | null {
    if (this.#first === null || this.#latest === null) return null
    const units = this.#latest.done - this.#first.done
    const seconds = (this.#latest.at - this.#first.at) / 1000
    return units >= 2 && seconds > 0 ? units / seconds : null
  }
}
