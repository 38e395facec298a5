/** How many threads compute by default: one a physical core, since two on one core only disturb each other. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** More threads than this do not help models of this size. */
const most = 16

export function defaultThreads(cpuinfo: string | null = linuxCpuinfo(), available = availableParallelism()): number {
  const physical = cpuinfo === null ? available : physicalCores(cpuinfo)
  return Math.max(1, Math.min(physical === 0 ? available : physical, available, most))
}

/** Distinct (socket, core) pairs; 0 where the text names none (some virtual and ARM machines). */
function physicalCores(cpuinfo: string): number {
  const cores = new Set<string>()
  for (const block of cpuinfo.split(/\n\s*\n/)) {
    const socket = /^physical id\s*:\s*(\d+)/m.exec(block)?.[1]
    const core = /^core id\s*:\s*(\d+)/m.exec(block)?.[1]
    if (core !== undefined) cores.add(`${socket ?? 0}/${core}`)
  }
  return cores.size
}

function linuxCpuinfo(): string | null {
  try {
    return readFileSync('/proc/cpuinfo', 'utf8')
  } catch {
    return null
  }
}
