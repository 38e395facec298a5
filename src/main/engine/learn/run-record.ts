/**
 * What a learning run leaves on disk, in an order that survives a kill at any moment: journal lines first, then the
 * resume state that vouches for them. On resume the journal is cut back to what the state vouches for.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import { type JournalLine, runFiles, type TimingLine } from '../../../shared/stage.ts'
import { type ResumeState, readResumeState, writeResumeState } from '../checkpoint/resume-state.ts'

/** Everything that must be the same for a resumed run to continue the interrupted one. Compared key by key. */
export type RunIdentity = Readonly<Record<string, string | number | boolean>>

/** Progress and generators of a run, as plain data; `P` is the stage's own part. */
export interface RunState<P> {
  readonly progress: P
  readonly tensors: ResumeState['tensors']
}

interface StateMeta<P> {
  readonly identity: RunIdentity
  readonly progress: P
  readonly journal_bytes: number
  /** SHA-256 chained over the journal's lines: h ← sha256(h ‖ line). */
  readonly journal_chain: string
}

export class RunRecord<P> {
  private readonly dir: string
  private readonly identity: RunIdentity
  private readonly journal: number
  private readonly timings: number
  private bytes = 0
  private chain = ''
  /** The state found at opening, if the run is being continued. */
  readonly resumed: RunState<P> | null

  /** Opens the run folder. @throws BadInput when the folder's state belongs to other data, settings or base. */
  constructor(dir: string, identity: RunIdentity) {
    this.dir = dir
    this.identity = identity
    const statePath = path.join(dir, runFiles.state)
    this.resumed = existsSync(statePath) ? this.recover(statePath) : null
    this.journal = openSync(
      path.join(dir, runFiles.journal),
      existsSync(path.join(dir, runFiles.journal)) ? 'r+' : 'w+',
    )
    this.timings = openSync(path.join(dir, runFiles.timings), 'a')
    this.cutJournal()
  }

  private recover(statePath: string): RunState<P> {
    const { meta, tensors } = readResumeState(statePath)
    const { identity, progress, journal_bytes, journal_chain } = meta as unknown as StateMeta<P>
    for (const key of new Set([...Object.keys(identity), ...Object.keys(this.identity)]))
      if (identity[key] !== this.identity[key])
        throw new BadInput(
          statePath,
          `the run cannot continue: ${key} was ${identity[key] ?? 'absent'} and is now ${this.identity[key] ?? 'absent'}; restore it or start a new run`,
        )
    this.bytes = journal_bytes
    this.chain = journal_chain
    return { progress, tensors }
  }

  /** Drops journal lines of an update that was never committed, and checks that the rest is what was written. */
  private cutJournal(): void {
    const file = path.join(this.dir, runFiles.journal)
    const size = fstatSync(this.journal).size
    if (size < this.bytes)
      throw new BadInput(file, `has ${size} bytes, its resume state vouches for ${this.bytes}; the run cannot continue`)
    ftruncateSync(this.journal, this.bytes)
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
    const chain = lines.reduce(chained, '')
    if (chain !== this.chain) throw new BadInput(file, 'was changed since it was written; the run cannot continue')
  }

  /** Makes one atomic update durable. `seconds` and memory go to a file of their own: they may differ between equal runs. */
  commit(lines: readonly JournalLine[], state: RunState<P>, seconds: Readonly<Record<string, number>>): number {
    let text = ''
    for (const line of lines) {
      const json = JSON.stringify(line, finiteOnly)
      text += `${json}\n`
      this.chain = chained(this.chain, json)
    }
    const bytes = Buffer.from(text)
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.journal, bytes, done, bytes.length - done, this.bytes + done)
    fdatasyncSync(this.journal)
    this.bytes += bytes.length
    const meta: StateMeta<P> = {
      identity: this.identity,
      progress: state.progress,
      journal_bytes: this.bytes,
      journal_chain: this.chain,
    }
    writeResumeState(path.join(this.dir, runFiles.state), { meta, tensors: state.tensors })
    const timing: TimingLine = { update: lastUpdate(lines), rss_bytes: process.memoryUsage.rss(), seconds }
    writeSync(this.timings, `${JSON.stringify(timing)}\n`)
    return this.bytes
  }

  close(): void {
    closeSync(this.journal)
    closeSync(this.timings)
  }
}

function lastUpdate(lines: readonly JournalLine[]): number | null {
  for (const line of lines.toReversed()) {
    if ('updates' in line) return line.updates.at(-1)?.update ?? null
    if ('update' in line) return line.update
  }
  return null
}

function chained(chain: string, line: string): string {
  return createHash('sha256').update(chain).update(line).digest('hex')
}

/** JSON has no NaN: writing null instead would lose the fault. */
function finiteOnly(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error(`${key} is ${value}; the update was not recorded`)
  return value
}

/** Hex SHA-256, for a run's identity. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}
