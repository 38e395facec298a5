/** Who owns running work: a process named so that a reused process number or a zombie is not mistaken for it. */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

export interface ProcessOwner {
  readonly pid: number
  /** Start time in clock ticks since boot where the system tells it (Linux), else empty. */
  readonly started: string
  readonly host: string
}

/** Null when no such process runs (a zombie does not run). */
export function processOwner(pid: number): ProcessOwner | null {
  if (!signalReaches(pid)) return null
  const stat = linuxStat(pid)
  if (stat?.state === 'Z' || stat?.state === 'X') return null
  return { pid, started: stat?.started ?? '', host: hostname() }
}

export function thisProcess(): ProcessOwner {
  return processOwner(process.pid) ?? { pid: process.pid, started: '', host: hostname() }
}

/** Whether the very process that wrote `owner` still runs on this machine. */
export function isAlive(owner: ProcessOwner): boolean {
  if (owner.host !== hostname()) return false
  const now = processOwner(owner.pid)
  return now !== null && now.started === owner.started
}

export const encodeOwner = (owner: ProcessOwner): string => JSON.stringify([owner.pid, owner.started, owner.host])

/** Throws when the text is not one that `encodeOwner` wrote. */
export function decodeOwner(text: string): ProcessOwner {
  const parts: unknown = JSON.parse(text)
  if (!Array.isArray(parts)) throw new Error('a stored process owner is not readable')
  const [pid, started, host] = parts as unknown[]
  if (typeof pid !== 'number' || typeof started !== 'string' || typeof host !== 'string') {
    throw new Error('a stored process owner is not readable')
  }
  return { pid, started, host }
}

function signalReaches(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it runs, but belongs to someone else.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** State letter and start time from /proc; null where there is no /proc. */
function linuxStat(pid: number): { state: string; started: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command name, in parentheses, may itself hold spaces and parentheses.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', started: fields[19] ?? '' }
  } catch {
    return null
  }
}
