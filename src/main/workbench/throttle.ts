/** Lets something happen at most once an interval, and never forgets the last time it was wanted. */
export class Throttle {
  readonly #interval: number
  readonly #act: () => void
  #timer: ReturnType<typeof setTimeout> | null = null
  #last = Number.NEGATIVE_INFINITY

  constructor(intervalMs: number, act: () => void) {
    this.#interval = intervalMs
    this.#act = act
  }

  soon(): void {
    if (this.#timer !== null) return
    const wait = this.#last + this.#interval - performance.now()
    if (wait <= 0) this.now()
    else this.#timer = setTimeout(() => this.now(), wait)
  }

  now(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#last = performance.now()
    this.#act()
  }

  /** What is still due happens now, and nothing after it. */
  end(): void {
    if (this.#timer !== null) this.now()
  }
}
