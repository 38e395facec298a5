/** The handle by which whoever started a job stops, pauses or ends it while its promise is pending. */
import type { StageHost } from '../jobs/stage-host.ts'

export type JobCommand = 'stop' | 'pause' | 'resume' | 'kill'

export class JobControl {
  #host: StageHost | null = null
  #onCommand: (command: JobCommand) => void = () => {}
  #state: 'running' | 'paused' | 'stopping' = 'running'

  get state(): 'running' | 'paused' | 'stopping' {
    return this.#state
  }

  /** At the next atomic update; between stages at once. */
  stop(): void {
    if (this.#state !== 'stopping') this.#onCommand('stop')
    this.#state = 'stopping'
    this.#host?.stop()
    // A paused stage has no next update.
    this.#host?.resume()
  }

  pause(): void {
    if (this.#state !== 'running') return
    this.#onCommand('pause')
    this.#state = 'paused'
    this.#host?.pause()
  }

  resume(): void {
    if (this.#state !== 'paused') return
    this.#onCommand('resume')
    this.#state = 'running'
    this.#host?.resume()
  }

  /** Now. The last commit stands. */
  kill(): void {
    this.#onCommand('kill')
    this.#state = 'stopping'
    this.#host?.kill()
  }

  /** For the job itself: the stage process that commands go to, or null between stages, and who else is told of them. */
  attach(host: StageHost | null, onCommand: (command: JobCommand) => void = () => {}): void {
    this.#host = host
    this.#onCommand = onCommand
    if (host === null) return
    if (this.#state === 'stopping') host.stop()
    if (this.#state === 'paused') host.pause()
  }
}
