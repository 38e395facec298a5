/** The stand-in's utility process: a fork whose port looks as Electron's does, from both ends. */
import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type Electron from 'electron'
import { post, violation } from './strict.ts'

class UtilityProcess extends EventEmitter {
  readonly #child: ChildProcess
  readonly stderr: ChildProcess['stderr']

  constructor(path: string, args: readonly string[], options: Electron.ForkOptions) {
    super()
    if (!isAbsolute(path) || !existsSync(path)) violation(`utility process ${path} is not an existing absolute path`)
    post({ t: 'utilityProcess', path, environment: Object.keys(options.env ?? process.env) })
    this.#child = fork(path, args, {
      env: { ...(options.env as NodeJS.ProcessEnv) },
      execArgv: [
        '--import',
        new URL('./parent-port.ts', import.meta.url).href,
        '--disable-warning=ExperimentalWarning',
      ],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.stderr = this.#child.stderr
    this.#child.on('message', (message) => this.emit('message', message))
    this.#child.on('close', (code, signal) => this.emit('exit', code ?? (signal === 'SIGKILL' ? 9 : 15)))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  postMessage(message: unknown): void {
    this.#child.send(message as object, () => {})
  }

  kill(): boolean {
    return this.#child.kill('SIGTERM')
  }
}

/** @param ready whether Electron is; before that there are no utility processes */
export function utilityProcessOf(ready: () => boolean) {
  return {
    fork: (path: string, args: readonly string[] = [], options: Electron.ForkOptions = {}) => {
      if (!ready()) violation('utilityProcess.fork before ready')
      return new UtilityProcess(path, args, options)
    },
  }
}
