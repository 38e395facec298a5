/** What the end of a stage process means, from what it said, how it exited, and what the system killed. */
import { readFileSync } from 'node:fs'
import type { StageEvent, StageSummary } from '../../shared/stage.ts'
import type { StageEnd } from './stage-host.ts'

export interface ExitFacts {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The last `finished` or `failed` event, if any. */
  readonly said: Extract<StageEvent, { type: 'finished' | 'failed' }> | null
  /** We killed it ourselves. */
  readonly killed: boolean
  /** The last part of its standard error. */
  readonly stderr: string
  /** Processes the kernel killed for memory while it ran; 0 where the system does not say. */
  readonly memoryKills: number
}

const outOfMemory =
  'the machine ran out of memory; close other programs, or use a smaller model, fewer threads or shorter limits'

export function stageEnd(facts: ExitFacts): StageEnd {
  const { said } = facts
  if (said?.type === 'finished') {
    return said.status === 'finished'
      ? { kind: 'finished', summary: said.summary }
      : { kind: 'interrupted', summary: said.summary, reason: stoppedAt(said.summary) }
  }
  if (said?.type === 'failed') return saidFailure(said)
  if (facts.killed) return interrupted('it was ended by request')
  return unsaidEnd(facts)
}

function stoppedAt({ stage }: StageSummary): string {
  if (stage === 'credit-audit') return 'stopped before its result was written; it begins anew when asked again'
  return stage === 'generate' || stage === 'judge'
    ? 'stopped before its rows were written; they are read anew when it goes on'
    : 'stopped at an update boundary'
}

function saidFailure(said: Extract<StageEvent, { type: 'failed' }>): StageEnd {
  if (said.kind === 'full-disk') return { ...interrupted(`the disk is full (${said.message})`), fullDisk: true }
  if (said.kind === 'out-of-memory') return failed('out-of-memory', said.message)
  if (said.kind !== 'bad-input') return failed('failure', said.message)
  return {
    kind: 'bad-input',
    subject: said.subject ?? 'input',
    problem: said.problem ?? said.message,
    ...(said.where === undefined ? {} : { where: said.where }),
  }
}

/** It died without a word. */
function unsaidEnd({ code, signal, stderr, memoryKills }: ExitFacts): StageEnd {
  if (/heap out of memory|std::bad_alloc|Failed to allocate memory|Cannot allocate memory/.test(stderr)) {
    return failed('out-of-memory', outOfMemory)
  }
  switch (signal) {
    case 'SIGKILL':
      if (memoryKills > 0) return failed('out-of-memory', outOfMemory)
      return interrupted('the stage process was killed (SIGKILL)')
    case 'SIGTERM':
    case 'SIGINT':
    case 'SIGHUP':
      return interrupted(`the stage process was ended by ${signal}`)
    case 'SIGILL':
      return failed('unsupported', 'the runtime used an instruction that this processor does not have (SIGILL)')
    case null:
      break
    default:
      return failed('crash', `the stage process crashed (${signal})${tail(stderr)}`)
  }
  if (code === 0) return failed('crash', 'the stage process ended without reporting a result')
  return failed('crash', `the stage process ended with exit code ${code}${tail(stderr)}`)
}

const interrupted = (reason: string) => ({ kind: 'interrupted', summary: null, reason }) as const

const failed = (cause: Extract<StageEnd, { kind: 'failed' }>['cause'], message: string): StageEnd => ({
  kind: 'failed',
  cause,
  message,
})

/** The most telling line of what it wrote: the error's own, else the last. */
function tail(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^\(Use `node|Warning:|^at |^Node\.js v/.test(line))
  const line = lines.findLast((candidate) => /Error/.test(candidate)) ?? lines.at(-1)
  return line === undefined ? '' : `: ${line.slice(0, 300)}`
}

/** Processes killed for memory since boot, in this container where it tells, else on this machine; 0 if unknown. */
export function memoryKillCount(): number {
  for (const file of ['/sys/fs/cgroup/memory.events', '/proc/vmstat']) {
    try {
      const found = /^oom_kill (\d+)$/m.exec(readFileSync(file, 'utf8'))
      if (found?.[1] !== undefined) return Number(found[1])
    } catch {
      // Not this kind of system.
    }
  }
  return 0
}
