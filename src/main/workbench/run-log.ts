/**
 * The log file of a run, beside its journal: what happened while it ran, with times, for people. Bounded, and no evidence:
 * a log that cannot be written stops no run. `stage-log.ts` says what stands in it.
 */
import { appendFileSync, closeSync, fstatSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type LogKind, type LogLine, logKinds, type RunLogView } from '../../shared/ipc.ts'
import { runFiles } from '../../shared/stage.ts'

/** Lines that a log holds at most. */
export const mostLines = 2000
const mostStderr = 400
const mostText = 2000
/** Nothing that this program writes is larger: a file that was put there by others is read this far. */
const mostBytes = 16e6

const lineSchema = z.strictObject({ at: z.iso.datetime(), kind: z.enum(logKinds), text: z.string() })
const leftOutSchema = z.strictObject({ left_out: z.number().int().nonnegative() })

export class RunLog {
  readonly #file: string
  readonly #now: () => Date
  #lines: LogLine[]
  #leftOut: number

  /** Goes on with the log that the run folder holds. */
  constructor(runDir: string, now: () => Date) {
    this.#file = join(runDir, runFiles.log)
    this.#now = now
    const text = beginning(this.#file)
    const { lines, left_out } = parsed(text)
    this.#lines = [...lines]
    this.#leftOut = left_out
    // The last line of a program that was killed may be torn: the next must not hang on to it.
    if (text !== '' && !text.endsWith('\n')) this.#attempt(() => appendFileSync(this.#file, '\n'))
  }

  get last(): LogLine | undefined {
    return this.#lines.at(-1)
  }

  add(kind: LogKind, text: string): void {
    const line: LogLine = { at: this.#now().toISOString(), kind, text: text.slice(0, mostText) }
    this.#lines.push(line)
    if (this.#lines.length > mostLines) this.#thin()
    else this.#attempt(() => appendFileSync(this.#file, `${JSON.stringify(line)}\n`))
  }

  #thin(): void {
    const all = this.#lines.length
    this.#lines = thinned(this.#lines)
    this.#leftOut += all - this.#lines.length
    const text = [{ left_out: this.#leftOut }, ...this.#lines].map((line) => `${JSON.stringify(line)}\n`).join('')
    this.#attempt(() => {
      writeFileSync(`${this.#file}.tmp`, text)
      renameSync(`${this.#file}.tmp`, this.#file)
    })
  }

  #attempt(write: () => void): void {
    try {
      write()
    } catch {
      // What the run itself must write (journal, store) tells of a full or lost disk.
    }
  }
}

/**
 * Fewer lines than `mostLines` of as much of the run as before: every other commit goes, and all but the latest of
 * stderr; what is still too much loses its oldest lines.
 */
export function thinned(lines: readonly LogLine[]): LogLine[] {
  // Counted from the latest, which stays.
  let [commits, stderr] = [0, 0]
  const sparser = lines
    .toReversed()
    .filter(({ kind }) => {
      if (kind === 'commit') return commits++ % 2 === 0
      if (kind === 'stderr') return stderr++ < mostStderr
      return true
    })
    .reverse()
  return sparser.length > 0.8 * mostLines ? sparser.slice(-mostLines / 2) : sparser
}

/** What the run's folder holds; empty where there is no log. Lines that are none are passed over. */
export function readRunLog(runDir: string): RunLogView {
  return parsed(beginning(join(runDir, runFiles.log)))
}

function parsed(text: string): RunLogView {
  const lines: LogLine[] = []
  let leftOut = 0
  for (const json of text.split('\n')) {
    const value = jsonOf(json)
    const line = lineSchema.safeParse(value)
    if (line.success) lines.push(line.data)
    else leftOut = leftOutSchema.safeParse(value).data?.left_out ?? leftOut
  }
  return { lines: lines.slice(-mostLines), left_out: leftOut + Math.max(0, lines.length - mostLines) }
}

function jsonOf(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function beginning(file: string): string {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch {
    return ''
  }
  try {
    const bytes = Buffer.alloc(Math.min(fstatSync(descriptor).size, mostBytes))
    return bytes.toString('utf8', 0, readSync(descriptor, bytes))
  } catch {
    return ''
  } finally {
    closeSync(descriptor)
  }
}
