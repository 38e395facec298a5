/** Memory of a run's stage process over its updates, from the file that stands apart from everything comparable. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { MemoryPoint } from '../../shared/ipc.ts'
import { runFiles } from '../../shared/stage.ts'

const count = z.number().int().nonnegative()
const timingSchema = z.object({ update: count, rss_bytes: count })

/** Empty where nothing was recorded. A line that a killed process left torn is passed over; of two for one update the later counts. */
export function memoryOf(runDir: string): MemoryPoint[] {
  const points = new Map<number, number>()
  for (const line of lines(join(runDir, runFiles.timings))) {
    const timing = timingSchema.safeParse(line).data
    if (timing !== undefined) points.set(timing.update, timing.rss_bytes)
  }
  return [...points].map(([update, rss_bytes]) => ({ update, rss_bytes })).sort((a, b) => a.update - b.update)
}

function lines(file: string): unknown[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return []
  }
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as unknown]
    } catch {
      return []
    }
  })
}
