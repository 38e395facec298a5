/** `recompense bench`: the figures of the README, measured on this machine. */
import { Option } from 'commander'
import { BadInput } from '../../../shared/bad-input.ts'
import { define } from '../command.ts'
import { namesOutOf, positiveInteger, seedFlag, threadsFlag } from '../flags.ts'

interface Options {
  readonly preset: string
  readonly figures?: string
  readonly against?: string
  readonly repeat?: number
  readonly threads: number
  readonly seed: number
}

export const bench = define<Options>({
  name: 'bench',
  summary: 'measure training and generation on this machine',
  options: [
    new Option('--preset <name>', 'model shape: tiny, small or qwen2.5-0.5b').default('tiny'),
    new Option('--figures <names>', "comma-separated figures (default: the preset's)"),
    new Option('--against <file>', 'compare with figures that bench printed earlier, or with a .py worker run in turn'),
    new Option('--repeat <n>', "timed runs of a training step (default: the preset's)").argParser(positiveInteger),
    seedFlag(49, 'weights and rows'),
    threadsFlag(),
  ],
  details: `Weights are random: only time and memory are measured. Without --json, stdout gets one JSON object a line.
Result: figures[{name, value, unit, better, min, median, runs, shape, preset, threads, ratio?, gate?, passes?}].`,
  example: 'bench --preset tiny --figures lora_step --json',
  run: async (context, options) => {
    const [{ figureNames, presetNames, presets }, { runBench }, { readSavedFigures }] = await Promise.all([
      import('../../engine/bench/presets.ts'),
      import('../../engine/bench/run-bench.ts'),
      import('../../engine/bench/saved-figures.ts'),
    ])
    const name = presetNames.find((known) => known === options.preset)
    if (name === undefined) throw new BadInput('--preset', `${options.preset} is not one of ${presetNames.join(', ')}`)
    const preset = presets[name]
    const asked = options.figures === undefined ? undefined : namesOutOf('--figures', figureNames, options.figures)
    const chosen = asked === undefined ? preset.figures : figureNames.filter((figure) => asked.includes(figure))
    const { against, threads, seed } = options
    const worker = against?.endsWith('.py') === true ? against : undefined
    const saved =
      against === undefined || worker !== undefined ? undefined : { file: against, figures: readSavedFigures(against) }
    const figures = await runBench(
      {
        preset,
        threads,
        seed,
        repeat: options.repeat ?? preset.repeat,
        ...(worker === undefined ? {} : { worker }),
        signal: context.interrupts.signal,
        note: context.note,
      },
      chosen,
      saved,
    )
    return { json: { figures }, text: () => figures.map((figure) => JSON.stringify(figure)).join('\n') }
  },
})
