/** Runs the figures that were asked for, one after another, in one process that does nothing else. */
import { loadavg } from 'node:os'
import { Bench, type BenchOptions } from './bench.ts'
import { datcOverhead } from './datc-overhead.ts'
import { decodeFigure } from './decode-figures.ts'
import { type Figure, figureLines, type Setting } from './figure.ts'
import { jvpCost } from './jvp-cost.ts'
import { loraStep, ppoIteration, rewardStep } from './learning-figures.ts'
import { type FigureName, figureNames } from './presets.ts'
import { determinism, memory, startup } from './process-figures.ts'
import { besideSaved, type SavedFigure } from './saved-figures.ts'
import { studyEstimate } from './study-estimate.ts'

export type FigureRow = Figure & Setting & { readonly load_average: number }

const takers: Readonly<Record<FigureName, (bench: Bench) => Promise<Figure | readonly Figure[]>>> = {
  lora_step: loraStep,
  decode_b1: (bench) => decodeFigure(bench, 1),
  decode_b8: (bench) => decodeFigure(bench, 8),
  rm_step: rewardStep,
  ppo_iteration: ppoIteration,
  study_estimate: studyEstimate,
  jvp_cost: jvpCost,
  datc_overhead: datcOverhead,
  memory,
  startup,
  determinism,
}

export interface SavedSide {
  readonly file: string
  readonly figures: readonly SavedFigure[]
}

/** @returns the figures in the order of `figureNames`, each with where it was measured and the load at its end */
export function runBench(
  options: BenchOptions,
  names: readonly FigureName[],
  saved?: SavedSide,
): Promise<readonly FigureRow[]> {
  const { note, signal, preset, threads } = options
  note(`preset ${preset.name}, ${threads} threads, load average ${loadText()}`)
  return Bench.during(options, async (bench) => {
    const setting = bench.setting()
    if (bench.peer !== undefined) note(`against ${bench.peer.name}, in turn with ours`)
    const rows: FigureRow[] = []
    for (const name of figureNames.filter((known) => names.includes(known))) {
      signal.throwIfAborted()
      for (const taken of [await takers[name](bench)].flat() as Figure[]) {
        const figure = saved === undefined ? taken : besideSaved(taken, saved.figures, setting, saved.file)
        rows.push({ ...figure, ...setting, load_average: loadavg()[0]! })
        figureLines(figure).forEach(note)
      }
    }
    note(`load average ${loadText()}`)
    return rows
  })
}

function loadText(): string {
  return loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')
}
