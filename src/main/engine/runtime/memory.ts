/** Memory of this process, as the operating system counts it. */
import { readFileSync } from 'node:fs'

/** File that a stage process is allowed to read for it. */
export const statusFile = '/proc/self/status'

/** One figure of Linux's process status in bytes; null elsewhere. */
export function statusBytes(name: 'VmHWM' | 'RssAnon'): number | null {
  try {
    const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(statusFile, 'utf8'))?.[1]
    return kibibytes === undefined ? null : Number(kibibytes) * 1024
  } catch {
    return null
  }
}

/** Largest resident size so far. The portable counter is the second choice: on Linux a child inherits its parent's peak. */
export function peakRssBytes(): number {
  return statusBytes('VmHWM') ?? process.resourceUsage().maxRSS * 1024
}
