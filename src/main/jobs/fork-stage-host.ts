/** A stage process under Node: a forked child with few rights, its own process group, and advanced serialization. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { StageCommand, StageEvent, StageJob } from '../../shared/stage.ts'
import { stagePreload } from '../program-layout.ts'
import { EventQueue } from './event-queue.ts'
import { memoryKillCount, stageEnd } from './stage-end.ts'
import { stageEnvironment } from './stage-environment.ts'
import type { StageEnd, StageHost } from './stage-host.ts'
import { type GrantPlaces, grantsFor, permissionFlags } from './stage-permissions.ts'

export interface ForkOptions {
  /** The stage program, a path or file URL. */
  readonly entry: string
  readonly places: GrantPlaces
}

const preload = pathToFileURL(stagePreload).href
const stderrKept = 8192

export class ForkStageHost implements StageHost {
  readonly #options: ForkOptions
  readonly #listeners = new Set<(event: StageEvent) => void>()
  readonly #stderrListeners = new Set<(text: string) => void>()
  #child: ChildProcess | null = null
  #started = false
  #killed = false

  constructor(options: ForkOptions) {
    this.#options = options
  }

  get pid(): number | null {
    return this.#child?.pid ?? null
  }

  start(job: StageJob): Promise<StageEnd> {
    if (this.#started) throw new Error('a stage host starts one stage only')
    this.#started = true
    for (const folder of [job.runDir, this.#options.places.cache]) mkdirSync(folder, { recursive: true })
    const child = this.#fork(permissionFlags(grantsFor(job, this.#options.places)))
    this.#child = child
    return this.#untilExit(child, job)
  }

  #fork(flags: readonly string[]): ChildProcess {
    const { entry } = this.#options
    return fork(entry.startsWith('file:') ? fileURLToPath(entry) : entry, [], {
      serialization: 'advanced',
      execArgv: [
        '--disable-warning=SecurityWarning',
        '--disable-warning=ExperimentalWarning',
        ...flags,
        '--import',
        preload,
      ],
      env: stageEnvironment(process.env),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      // Its own process group: Ctrl-C in a terminal reaches the workbench alone, which then asks the stage to stop.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
  }

  #untilExit(child: ChildProcess, job: StageJob): Promise<StageEnd> {
    const memoryKillsBefore = memoryKillCount()
    let said: Extract<StageEvent, { type: 'finished' | 'failed' }> | null = null
    let stderr = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-stderrKept)
      for (const listener of this.#stderrListeners) listener(text)
    })
    return new Promise((resolve, reject) => {
      const giveUp = (error: unknown) => {
        child.kill('SIGKILL')
        reject(error)
      }
      child.on('error', giveUp)
      const queue = new EventQueue((event) => {
        try {
          for (const listener of this.#listeners) listener(event)
        } catch (error) {
          giveUp(error)
        }
      })
      child.on('message', (message) => {
        const event = message as StageEvent
        if (event.type === 'finished' || event.type === 'failed') said = event
        queue.push(event)
      })
      // 'close' comes after the last of stderr and the channel; 'exit' may come before them.
      child.on('close', (code, signal) => {
        this.#child = null
        queue.flush()
        const memoryKills = memoryKillCount() - memoryKillsBefore
        resolve(stageEnd({ code, signal, said, killed: this.#killed, stderr, memoryKills }))
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
    this.#child?.kill('SIGKILL')
  }

  #send(command: StageCommand): void {
    // A child that is just going away cannot be told; its end is reported by 'close'.
    if (this.#child?.connected === true) this.#child.send(command, () => {})
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
