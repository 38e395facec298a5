/**
 * The other side of a comparison: a Python worker that answers one JSON line for each JSON line it is given. It times
 * itself, so that the pipe is no part of any figure. Nothing else of the product ever starts Python.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface, type Interface } from 'node:readline'
import { BadInput } from '../../../shared/bad-input.ts'
import type { Side } from './measure.ts'

export interface PeerAnswer {
  readonly seconds: number
  readonly cpu_seconds?: number
  readonly parts?: Readonly<Record<string, number>>
  readonly loss?: number
  readonly tokens?: readonly (readonly number[])[]
  readonly peak_rss_bytes?: number
  readonly name?: string
}

export interface PeerModel {
  readonly model: string
  readonly policy: string
  readonly threads: number
}

const keptErrors = 4096

export class Peer {
  readonly name: string
  private readonly link: Link

  private constructor(link: Link, name: string) {
    this.link = link
    this.name = name
  }

  /** Starts `python file` and has it load the model. Throws BadInput where that fails: nothing was measured yet. */
  static async open(file: string, model: PeerModel): Promise<Peer> {
    const python = process.env.RECOMPENSE_PYTHON ?? 'python3'
    const link = new Link(python, file)
    try {
      const { name } = await link.ask({ op: 'open', ...model })
      return new Peer(link, name ?? file)
    } catch (error) {
      link.close()
      const reason = error instanceof Error ? error.message : String(error)
      throw new BadInput('--against', `${file} does not run with ${python}: ${reason}; RECOMPENSE_PYTHON names another`)
    }
  }

  ask(request: Readonly<Record<string, unknown>>): Promise<PeerAnswer> {
    return this.link.ask(request)
  }

  /** A side that asks the same of the worker at every run. */
  side(request: Readonly<Record<string, unknown>>): Side {
    return async () => {
      const { seconds, cpu_seconds: cpuSeconds, parts } = await this.ask(request)
      return { seconds, ...(cpuSeconds !== undefined && { cpuSeconds }), ...(parts && { parts }) }
    }
  }

  close(): void {
    this.link.close()
  }
}

class Link {
  private readonly child: ChildProcess
  private readonly lines: Interface
  private readonly waiting: { resolve: (answer: PeerAnswer) => void; reject: (error: Error) => void }[] = []
  private errors = ''
  private ended: Error | undefined

  constructor(python: string, file: string) {
    this.child = spawn(python, [file], { stdio: ['pipe', 'pipe', 'pipe'] })
    this.child.stderr?.on('data', (data: Buffer) => {
      this.errors = (this.errors + data.toString()).slice(-keptErrors)
    })
    this.child.stdin?.on('error', () => {})
    this.lines = createInterface({ input: this.child.stdout! })
    this.lines.on('line', (line) => this.answer(line))
    this.child.on('error', (error) => this.fail(error))
    this.child.on('close', () => this.fail(new Error(this.errors.trim().split('\n').at(-1) || 'the worker ended')))
  }

  ask(request: Readonly<Record<string, unknown>>): Promise<PeerAnswer> {
    return new Promise((resolve, reject) => {
      if (this.ended !== undefined) return reject(this.ended)
      this.waiting.push({ resolve, reject })
      this.child.stdin?.write(`${JSON.stringify(request)}\n`)
    })
  }

  private answer(line: string): void {
    const next = this.waiting.shift()
    try {
      const answer = JSON.parse(line) as PeerAnswer & { error?: string }
      if (answer.error !== undefined) next?.reject(new Error(answer.error))
      else next?.resolve(answer)
    } catch {
      next?.reject(new Error(`the worker answered ${JSON.stringify(line.slice(0, 80))}`))
    }
  }

  private fail(error: Error): void {
    this.ended = error
    for (const { reject } of this.waiting.splice(0)) reject(error)
  }

  close(): void {
    this.child.stdin?.end()
    this.child.kill()
  }
}
