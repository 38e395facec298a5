/** Figures of an earlier run as the other side: the JSON lines that `bench` printed, matched by name. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { BadInput } from '../../../shared/bad-input.ts'
import { type Comparison, compared, type Figure, gated, type Setting } from './figure.ts'

const savedSchema = z.looseObject({
  name: z.string(),
  value: z.number(),
  unit: z.string(),
  min: z.number(),
  median: z.number(),
  runs: z.number(),
  preset: z.string(),
  threads: z.number(),
})
export type SavedFigure = z.infer<typeof savedSchema>

/** @throws BadInput naming the line that is no figure */
export function readSavedFigures(file: string): SavedFigure[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new BadInput('--against', `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  const lines = text.split('\n').map((line, i) => ({ line: line.trim(), at: `line ${i + 1}` }))
  const figures = lines.filter(({ line }) => line !== '').flatMap(({ line, at }) => parseLine(file, line, at))
  if (figures.length === 0) throw new BadInput(file, 'holds no figures')
  return figures
}

/** A line is one figure, or the document that `--json` prints. */
function parseLine(file: string, line: string, at: string): SavedFigure[] {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new BadInput(file, 'is no line of JSON; give figures that bench printed, or a .py worker', at)
  }
  const document = z.object({ figures: z.array(savedSchema) }).safeParse(value)
  if (document.success) return document.data.figures
  const figure = savedSchema.safeParse(value)
  if (!figure.success) throw new BadInput(file, 'is no figure; it needs name, value, unit, min, median and runs', at)
  return [figure.data]
}

/** The figure with the saved one of the same name, preset and threads beside it. Times of two runs are not interleaved. */
export function besideSaved(figure: Figure, saved: readonly SavedFigure[], setting: Setting, file: string): Figure {
  const same = (other: SavedFigure) =>
    other.name === figure.name &&
    other.unit === figure.unit &&
    other.preset === setting.preset &&
    other.threads === setting.threads
  const earlier = saved.find(same)
  if (earlier === undefined || earlier.value === 0 || earlier.median === 0) return figure
  const { value, min, median, runs } = earlier
  const comparison: Comparison = {
    against: `${file}, another run`,
    value,
    min,
    median,
    runs,
    ratio: figure.value / value,
    ratio_median: figure.median / median,
  }
  // Gates bound the ratio to another stack; to an earlier run of ourselves they say nothing.
  const { gate, ...rest } = figure
  return gated({ ...rest, ...compared([comparison]), ...(gate?.of === 'value' && { gate }) })
}
