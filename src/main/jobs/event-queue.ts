/**
 * Events of a stage on their way to the workbench. A small model commits hundreds of updates a second, and each is
 * flushed to disk and stored: handled one by one as they arrive they would leave no time for anything else, and a window
 * that asks to stop would wait. So they are handled between turns of the event loop, and of progress and commits that
 * have piled up only the latest counts, which includes all before it.
 */
import type { StageEvent } from '../../shared/stage.ts'

const superseded: ReadonlySet<StageEvent['type']> = new Set(['progress', 'committed'])

export class EventQueue {
  readonly #deliver: (event: StageEvent) => void
  #waiting: StageEvent[] = []
  #scheduled: ReturnType<typeof setImmediate> | null = null

  constructor(deliver: (event: StageEvent) => void) {
    this.#deliver = deliver
  }

  push(event: StageEvent): void {
    if (superseded.has(event.type)) {
      const last = this.#waiting.findLastIndex(({ type }) => !superseded.has(type))
      const earlier = this.#waiting.findIndex(({ type }, at) => at > last && type === event.type)
      if (earlier >= 0) this.#waiting.splice(earlier, 1)
    }
    this.#waiting.push(event)
    this.#scheduled ??= setImmediate(() => this.flush())
  }

  /** Delivers all that waits, now. */
  flush(): void {
    if (this.#scheduled !== null) clearImmediate(this.#scheduled)
    this.#scheduled = null
    const events = this.#waiting
    this.#waiting = []
    for (const event of events) this.#deliver(event)
  }
}
