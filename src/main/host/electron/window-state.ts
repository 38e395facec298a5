/** Where the window was, kept between launches, and brought back only where a screen shows it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Rectangle } from 'electron'
import { z } from 'zod'
import { writeWhole } from '../../workbench/files-on-disk.ts'

const schema = z.object({
  x: z.number().int(),
  y: z.number().int(),
  width: z.number().int().min(1),
  height: z.number().int().min(1),
  maximized: z.boolean(),
})
export type WindowState = z.infer<typeof schema>

export const smallest = { width: 720, height: 480 } as const
export const usual = { width: 1280, height: 820 } as const
/** This much of the title bar must be within reach to drag the window by. */
const reach = { width: 100, height: 40 } as const

const stateFile = (folder: string): string => join(folder, 'window.json')

/** Null for a first launch, and for a file that cannot be used: nobody misses a window's place. */
export function readWindowState(folder: string): WindowState | null {
  try {
    return schema.parse(JSON.parse(readFileSync(stateFile(folder), 'utf8')))
  } catch {
    return null
  }
}

export function writeWindowState(folder: string, state: WindowState): void {
  try {
    writeWhole(stateFile(folder), `${JSON.stringify(state)}\n`)
  } catch {
    // A full disk may not keep the window from closing.
  }
}

/**
 * @param areas work areas of the screens there are now
 * @returns bounds without a place where the old place is on no screen any more
 */
export function boundsFor(state: WindowState | null, areas: readonly Rectangle[]): Partial<Rectangle> {
  if (state === null) return usual
  const size = {
    width: Math.max(smallest.width, state.width),
    height: Math.max(smallest.height, state.height),
  }
  const titleBar = { x: state.x, y: state.y, width: size.width, height: reach.height }
  const area = areas.find((candidate) => {
    const { width, height } = overlap(titleBar, candidate)
    return width >= reach.width && height >= reach.height
  })
  if (area === undefined) return usual
  return {
    x: state.x,
    y: state.y,
    width: Math.min(size.width, Math.max(area.width, smallest.width)),
    height: Math.min(size.height, Math.max(area.height, smallest.height)),
  }
}

function overlap(a: Rectangle, b: Rectangle): { width: number; height: number } {
  return {
    width: Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x),
    height: Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y),
  }
}
