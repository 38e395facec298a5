/**
 * A stage process under Electron: a utility process of its own. The packaged application cannot start Node's fork, since
 * its fuses forbid running Electron as Node. Node's permission model does not reach a utility process: there the stage
 * is kept apart by what it is given (paths of its own inputs, no store, no environment), which `grantsFor` checks first.
 */
import { mkdirSync } from 'node:fs'
import { type UtilityProcess, utilityProcess } from 'electron'
import type { StageCommand, StageEvent, StageJob } from '../../../shared/stage.ts'
import { EventQueue } from '../../jobs/event-queue.ts'
import { memoryKillCount, stageEnd } from '../../jobs/stage-end.ts'
import { stageEnvironment } from '../../jobs/stage-environment.ts'
import type { StageEnd, StageHost } from '../../jobs/stage-host.ts'
import { type GrantPlaces, grantsFor } from '../../jobs/stage-permissions.ts'

export interface UtilityOptions {
  /** The bundled stage program. */
  readonly entry: string
  readonly places: GrantPlaces
}

const stderrKept = 8192

export class UtilityStageHost implements StageHost {
  readonly #options: UtilityOptions
  readonly #listeners = new Set<(event: StageEvent) => void>()
  readonly #stderrListeners = new Set<(text: string) => void>()
  #child: UtilityProcess | null = null
  #started = false
  #killed = false

  constructor(options: UtilityOptions) {
    this.#options = options
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  start(job: StageJob): Promise<StageEnd> {
    if (this.#started) throw new Error('a stage host starts one stage only')
    this.#started = true
    const { entry, places } = this.#options
    for (const folder of [job.runDir, places.cache]) mkdirSync(folder, { recursive: true })
    // For its checks alone: it refuses a job that would show a stage what it must not see.
    grantsFor(job, places)
    const child = utilityProcess.fork(entry, [], {
      env: stageEnvironment(process.env),
      serviceName: 'Recompense stage',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child = child
    return this.#untilExit(child, job)
  }

  #untilExit(child: UtilityProcess, job: StageJob): Promise<StageEnd> {
    const memoryKillsBefore = memoryKillCount()
    let said: Extract<StageEvent, { type: 'finished' | 'failed' }> | null = null
    let stderr = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      const text = chunk.toString('utf8')
      stderr = (stderr + text).slice(-stderrKept)
      for (const listener of this.#stderrListeners) listener(text)
    })
    return new Promise((resolve, reject) => {
      const queue = new EventQueue((event) => {
        try {
          for (const listener of this.#listeners) listener(event)
        } catch (error) {
          this.kill()
          reject(error)
        }
      })
      child.on('message', (message: unknown) => {
        const event = message as StageEvent
        if (event.type === 'finished' || event.type === 'failed') said = event
        queue.push(event)
      })
      child.on('exit', (code) => {
        this.#child = null
        queue.flush()
        const memoryKills = memoryKillCount() - memoryKillsBefore
        resolve(stageEnd({ ...exitOf(code), said, killed: this.#killed, stderr, memoryKills }))
      })
      this.#send({ type: 'start', job })
    })
  }

  stop(): void {
    this.#send({ type: 'stop' })
  }

  pause(): void {
    this.#send({ type: 'pause' })
  }

  resume(): void {
    this.#send({ type: 'resume' })
  }

  kill(): void {
    this.#killed = true
    const pid = this.#child?.pid
    // Its own kill() asks (SIGTERM); a stage in the middle of a computation hears that only when it is done.
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  }

  #send(command: StageCommand): void {
    this.#child?.postMessage(command)
  }

  onEvent(listener: (event: StageEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  onStderr(listener: (text: string) => void): () => void {
    this.#stderrListeners.add(listener)
    return () => this.#stderrListeners.delete(listener)
  }
}

const signals: Readonly<Record<number, NodeJS.Signals>> = {
  4: 'SIGILL',
  6: 'SIGABRT',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  15: 'SIGTERM',
}

/** Electron reports a process that a signal ended by the signal's number, or by 128 and the number. */
function exitOf(code: number): { code: number | null; signal: NodeJS.Signals | null } {
  const signal = process.platform === 'win32' ? undefined : (signals[code] ?? signals[code - 128])
  return signal === undefined ? { code, signal: null } : { code: null, signal }
}
