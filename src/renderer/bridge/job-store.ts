/** The one job of the home as the window knows it; asked for at the start and after a lost connection, else told. */
import type { Answers, Bridge, JobRequest, JobView } from '../../shared/ipc.ts'
import { ask } from './ask.ts'

export class JobStore {
  readonly #bridge: Bridge
  readonly #listeners = new Set<() => void>()
  #job: JobView | null = null

  constructor(bridge: Bridge) {
    this.#bridge = bridge
    bridge.subscribe((event) => {
      if (event.type === 'job') this.#settle(event.job)
    })
    this.refresh()
  }

  readonly current = (): JobView | null => this.#job

  readonly watch = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  refresh(): void {
    ask(this.#bridge, 'jobs.current', {}).then(
      (job) => this.#settle(job),
      () => {},
    )
  }

  start(request: JobRequest): Promise<JobView> {
    return this.#do('jobs.start', request) as Promise<JobView>
  }

  command(name: 'jobs.pause' | 'jobs.resume' | 'jobs.stop'): Promise<JobView | null> {
    return this.#do(name, {})
  }

  async #do<Name extends 'jobs.start' | 'jobs.pause' | 'jobs.resume' | 'jobs.stop'>(
    name: Name,
    parameters: Parameters<typeof ask<Name>>[2],
  ): Promise<Answers[Name]> {
    const job = await ask(this.#bridge, name, parameters)
    this.#settle(job)
    return job
  }

  #settle(job: JobView | null): void {
    this.#job = job
    for (const listener of this.#listeners) listener()
  }
}

/** Whether the job still holds the machine: nothing else can be started. */
export const isActive = (job: JobView | null): boolean =>
  job !== null &&
  (job.state === 'waiting' || job.state === 'running' || job.state === 'paused' || job.state === 'stopping')
