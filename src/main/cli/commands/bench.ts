/** `recompense bench`: what training and generation cost here, alone or beside another stack. */
import { existsSync } from 'node:fs'
import { Option } from 'commander'
import { BadInput } from '../../../shared/bad-input.ts'
import type { ChildJob } from '../../engine/bench/child.ts'
import { type FigureName, figureNames, type PresetName, presetNames, presets } from '../../engine/bench/presets.ts'
import type { SavedSide } from '../../engine/bench/run-bench.ts'
import { define } from '../command.ts'
import { Interrupted } from '../failure.ts'
import { namesOutOf, positiveInteger, seedFlag, threadsFlag } from '../flags.ts'
import { toJson } from '../json.ts'

interface Options {
  readonly preset: PresetName
  readonly against?: string
  readonly repeat?: number
  readonly only?: string
  readonly threads: number
  readonly seed: number
  readonly childJob?: string
}

export const bench = define<Options>({
  name: 'bench',
  summary: 'measure training and generation here, alone or beside another stack',
  options: [
    new Option('--preset <name>', 'model shape, with random weights').choices(presetNames).default('tiny'),
    new Option('--only <names>', `comma-separated figures (default: the preset's) out of ${figureNames.join(', ')}`),
    new Option(
      '--against <file>',
      'a .py worker to measure in turn with (python3, or RECOMPENSE_PYTHON), or figures that bench printed earlier',
    ),
    new Option(
      '--repeat <n>',
      "timed runs of a training step; slower figures take fewer (default: the preset's)",
    ).argParser(positiveInteger),
    seedFlag(49, 'weights and rows'),
    threadsFlag(),
    // Memory and equal bytes are measured in processes of their own: this program, started again.
    new Option('--child-job <json>', 'one job of a measurement').hideHelp(),
  ],
  details: `Prints one JSON line a figure: name, value (at the fastest run), unit, min, median, runs, shape, preset, threads.
With --against also ratio (ours over theirs, fastest over fastest), ratio_median, against[] and, where there is one,
gate and passes. Both sides load the same files, use the same number of threads and are measured in turn. The preset
qwen2.5-0.5b writes 3 GB to the temporary folder, removed at the end, and by default measures lora_step, decode_b1 and
memory. With --json the lines are one document, figures[]. Exit status 1: two processes computed different bytes.`,
  example: 'bench --preset tiny --only lora_step,determinism --repeat 3',
  run: async (context, options) => {
    if (options.childJob !== undefined) {
      const { runChildJob } = await import('../../engine/bench/child.ts')
      const answer = await runChildJob(JSON.parse(options.childJob) as ChildJob)
      return { json: answer, text: () => toJson(answer) }
    }
    const { against, threads, seed, only } = options
    const preset = presets[options.preset]
    const names = only === undefined ? preset.figures : (namesOutOf('--only', figureNames, only) as FigureName[])
    const { runBench } = await import('../../engine/bench/run-bench.ts')
    const saved = await savedSide(against)
    const settings = {
      preset,
      threads,
      seed,
      repeat: options.repeat ?? preset.repeat,
      signal: context.interrupts.signal,
      note: (line: string) => context.note(line),
      ...(against?.endsWith('.py') && { worker: existing(against) }),
    }
    // The signal is looked at between runs; the temporary checkpoint is removed either way.
    const figures = await context.interrupts
      .during(
        () => {},
        () => runBench(settings, names, saved),
      )
      .catch((error: unknown) => {
        throw context.interrupts.signal.aborted ? new Interrupted() : error
      })
    return {
      json: { figures },
      text: () => figures.map((figure) => toJson(figure)).join('\n'),
      exitCode: figures.some((figure) => figure.name === 'determinism' && figure.passes === false) ? 1 : 0,
    }
  },
})

async function savedSide(against: string | undefined): Promise<SavedSide | undefined> {
  if (against === undefined || against.endsWith('.py')) return undefined
  const { readSavedFigures } = await import('../../engine/bench/saved-figures.ts')
  return { file: against, figures: readSavedFigures(against) }
}

function existing(file: string): string {
  if (!existsSync(file)) throw new BadInput('--against', `${file} is no file`)
  return file
}
