/** What the three learning stages share on the command line: flags, the call, and the printed result. */
import { Option } from 'commander'
import type { TrainOutcome, TrainPoint, TrainRequest } from '../workbench/train-stage.ts'
import type { CommandContext } from './context.ts'
import { decimal, plural, significant } from './figures.ts'
import { type ComputeOptions, computeFlags, modelFlag, wholeNumber } from './flags.ts'
import type { Outcome } from './outcome.ts'
import { type PresetName, presetNames } from './preset-names.ts'
import { followed, withWorkbench } from './study-session.ts'
import { type Column, facts, table } from './table.ts'
import { requireNewFolder } from './user-path.ts'

export interface TrainOptions extends ComputeOptions {
  readonly model: string
  readonly data: string
  readonly initAdapter?: string
  readonly preset: PresetName
  readonly config?: string
  readonly seed?: number
  readonly shuffle: 'epoch' | 'none'
  readonly out: string
}

export function trainFlags(rows: string, own: readonly Option[]): Option[] {
  return [
    modelFlag(),
    new Option('--data <file>', `JSONL rows to learn from: ${rows}`).makeOptionMandatory(),
    ...own,
    new Option('--preset <name>', "settings of the study's stage: minimum (for a 0.5B model) or embedded")
      .choices([...presetNames])
      .default('minimum'),
    new Option('--config <file>', 'YAML settings over those of the preset, one "key: value" a line'),
    new Option('--seed <n>', "seed of fresh weights, order and sampling (default: the settings', 49)").argParser(
      wholeNumber,
    ),
    new Option('--shuffle <when>', 'order of the rows: drawn anew each epoch, or as in the file')
      .choices(['epoch', 'none'])
      .default('epoch'),
    new Option(
      '--out <dir>',
      'new or empty folder for the PEFT adapter; appears when training is done',
    ).makeOptionMandatory(),
    ...computeFlags(),
  ]
}

export const initAdapterFlag = (what: string): Option => new Option('--init-adapter <dir>', what)

/** What every stage says under its flags, after its own settings. */
export const trainDetails = `An interrupted run is continued by the same command. grad_norm is the norm before clipping.
Result: run_id, updates, history[{update, learning_rate, loss, grad_norm, …}], final_learned_sha256, out.`

type Own = Pick<
  TrainRequest,
  'stage' | 'config' | 'configSource' | 'validation' | 'rewardAdapter' | 'environment' | 'critic'
>

export function train(context: CommandContext, options: TrainOptions, own: Own): Promise<Outcome> {
  requireNewFolder(options.out)
  return withWorkbench(context, async (bench) => {
    const { trainStage } = await import('../workbench/train-stage.ts')
    const { model, data, initAdapter, shuffle, out, device, threads } = options
    const request: TrainRequest = {
      ...own,
      model,
      data,
      shuffle: shuffle === 'epoch',
      out,
      device,
      threads,
      ...(initAdapter === undefined ? {} : { initAdapter }),
    }
    const trained = await followed(context, (job) => trainStage(bench, request, job))
    return { json: trained, text: () => trainText(trained) }
  })
}

function trainText(trained: TrainOutcome): string {
  const hashes = trained.final_learned_sha256
  const learned = typeof hashes === 'string' ? [['learned', hashes] as const] : Object.entries(hashes)
  return [
    table(
      [
        { title: 'update', cell: (point) => String(point.update), align: 'right' },
        { title: 'learning rate', cell: (point) => significant(point.learning_rate), align: 'right' },
        ...figuresOf(trained.history),
        { title: 'gradient norm', cell: (point) => decimal(point.grad_norm), align: 'right' },
      ],
      trained.history.slice(-10),
    ),
    facts([['run', trained.run_id], ['done', plural(trained.updates, 'update')], ...learned, ['adapter', trained.out]]),
  ].join('\n\n')
}

/** Advantages of a group have mean 0 and the first ratio is 1: such a loss is about 0 whatever is learned. */
function figuresOf(history: readonly TrainPoint[]): Column<TrainPoint>[] {
  const read = (show: (point: GroupPoint) => string) => (point: TrainPoint) =>
    'reference_divergence' in point ? show(point) : ''
  if (!history.some((point) => 'reference_divergence' in point))
    return [{ title: 'loss', cell: (point) => decimal(point.loss), align: 'right' }]
  return [
    {
      title: 'mean reward',
      cell: read(({ mean_reward: reward }) => (reward === null ? '' : decimal(reward))),
      align: 'right',
    },
    { title: 'clipped', cell: read((point) => decimal(point.clip_fraction, 3)), align: 'right' },
    { title: 'divergence', cell: read((point) => significant(point.reference_divergence)), align: 'right' },
  ]
}

type GroupPoint = Extract<TrainPoint, { readonly reference_divergence: number }>
