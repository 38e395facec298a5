/**
 * Answers as the screens see them: asked once however many components want them, shown at once when a screen is opened
 * again, and asked anew when the workbench says that what they tell has changed.
 */
import type { Answers, Bridge, RequestName, RequestParameters, WindowEvent } from '../../shared/ipc.ts'
import { ask, wordsOf } from './ask.ts'
import { concerns } from './concerns.ts'

export interface AnswerState<T> {
  readonly value: T | undefined
  /** The workbench's words; a value that was known before stays beside it. */
  readonly error: string | undefined
  readonly loading: boolean
}

interface Entry {
  readonly name: RequestName
  readonly parameters: unknown
  state: AnswerState<unknown>
  readonly listeners: Set<() => void>
  /** Asked already and not yet answered. */
  asking: boolean
  /** Changed since it was asked. */
  stale: boolean
}

const unasked: AnswerState<never> = { value: undefined, error: undefined, loading: true }
/** Answers nobody looks at are kept for the way back, but not without end. */
const keptUnwatched = 40
/** True only at the moment they are asked for. */
const passing: ReadonlySet<RequestName> = new Set(['jobs.estimate', 'rows.check', 'doctor.run'])

export class AnswerStore {
  readonly #bridge: Bridge
  readonly #entries = new Map<string, Entry>()
  readonly #coalesce: number
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param coalesce milliseconds in which several changes cost one question */
  constructor(bridge: Bridge, coalesce = 250) {
    this.#bridge = bridge
    this.#coalesce = coalesce
    bridge.subscribe((event) => this.#heard(event))
  }

  static key(name: RequestName, parameters: unknown): string {
    return `${name} ${JSON.stringify(parameters)}`
  }

  peek<Name extends RequestName>(key: string): AnswerState<Answers[Name]> {
    return (this.#entries.get(key)?.state ?? unasked) as AnswerState<Answers[Name]>
  }

  watch<Name extends RequestName>(name: Name, parameters: RequestParameters<Name>, listener: () => void): () => void {
    const key = AnswerStore.key(name, parameters)
    let entry = this.#entries.get(key)
    if (entry === undefined) {
      entry = { name, parameters, state: unasked, listeners: new Set(), asking: false, stale: true }
      this.#entries.set(key, entry)
    }
    const watched = entry
    watched.listeners.add(listener)
    if (watched.stale) void this.#ask(watched)
    return () => {
      watched.listeners.delete(listener)
      if (watched.listeners.size === 0 && passing.has(name)) watched.stale = true
      this.#forget()
    }
  }

  refresh(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    entry.stale = true
    void this.#ask(entry)
  }

  /** Everything may have changed: after a lost connection. */
  refreshAll(): void {
    for (const entry of this.#entries.values()) entry.stale = true
    this.#askStale()
  }

  #heard(event: WindowEvent): void {
    if (event.type !== 'changed') return
    let any = false
    for (const entry of this.#entries.values()) {
      if (!concerns(event, entry.name, entry.parameters)) continue
      entry.stale = true
      any ||= entry.listeners.size > 0
    }
    if (!any || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#askStale()
    }, this.#coalesce)
  }

  #askStale(): void {
    for (const entry of this.#entries.values()) if (entry.stale && entry.listeners.size > 0) void this.#ask(entry)
  }

  async #ask(entry: Entry): Promise<void> {
    if (entry.asking) return
    entry.asking = true
    entry.stale = false
    this.#settle(entry, { ...entry.state, loading: true })
    try {
      const value = await ask(this.#bridge, entry.name, entry.parameters as RequestParameters<RequestName>)
      this.#settle(entry, { value, error: undefined, loading: false })
    } catch (error) {
      this.#settle(entry, { value: entry.state.value, error: wordsOf(error), loading: false })
    }
    entry.asking = false
    if (entry.stale && entry.listeners.size > 0) void this.#ask(entry)
  }

  #settle(entry: Entry, state: AnswerState<unknown>): void {
    entry.state = state
    for (const listener of entry.listeners) listener()
  }

  #forget(): void {
    const unwatched = [...this.#entries].filter(([, entry]) => entry.listeners.size === 0)
    for (const [key] of unwatched.slice(0, Math.max(0, unwatched.length - keptUnwatched))) this.#entries.delete(key)
  }
}
