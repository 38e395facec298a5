/** `recompense credit datc-study`: whether DATC's predicted gains in independent logits reach the shared parameters. */
import { InvalidArgumentError, Option } from 'commander'
import { fewestBatches } from '../../../shared/datc-study.ts'
import { define } from '../command.ts'
import { decimal } from '../figures.ts'
import { type ComputeOptions, computeFlags, modelFlag, positiveInteger, wholeNumber } from '../flags.ts'
import { nameDevice, openModel } from '../inference.ts'
import { type PresetName, presetNames } from '../preset-names.ts'
import { facts } from '../table.ts'

interface Options extends ComputeOptions {
  readonly model: string
  readonly initAdapter: string
  readonly rewardAdapter: string
  readonly data: string
  readonly batches: number
  readonly preset: PresetName
  readonly config?: string
  readonly seed?: number
}

export const creditDatcStudy = define<Options>({
  name: 'datc-study',
  summary: 'predicted gains of DATC in independent logits against single steps of the shared parameters',
  options: [
    modelFlag(),
    new Option('--init-adapter <dir>', 'policy that every step starts from').makeOptionMandatory(),
    new Option('--reward-adapter <dir>', 'reward model: PEFT adapter with its score head').makeOptionMandatory(),
    new Option('--data <file>', 'JSONL rows to sample from: {id, prompt}').makeOptionMandatory(),
    new Option('--batches <n>', `batches of rollouts, at least ${fewestBatches}`).argParser(atLeastThree).default(100),
    new Option('--preset <name>', 'settings of the steps: minimum (for a 0.5B model) or embedded')
      .choices([...presetNames])
      .default('minimum'),
    new Option('--config <file>', 'YAML settings over those of the preset, as train datc takes them'),
    new Option('--seed <n>', "seed of order and sampling (default: the settings', 49)").argParser(wholeNumber),
    ...computeFlags(),
  ],
  details: `X is what the weights add to Σ A d over equal weights. P is ⟨∇S, Δθ(DATC) − Δθ(GRPO)⟩: one AdamW step each from the same
policy, S = Σ ⟨g̃, Σ p E⟩ the surrogate reward. X is above 0 wherever utilities differ; P need not be. summary_plain has
plain gradient steps in place of AdamW's.
Result: rows[{independent_gain, shared_gain, shared_gain_plain, informative_groups}], summary{batches, spearman, pearson,
r2, share_independent_positive, share_shared_positive}, summary_plain.`,
  example:
    'credit datc-study --model resources/models/embedded --preset embedded --init-adapter /tmp/sft-adapter --reward-adapter /tmp/reward-adapter --data resources/examples/prompts.jsonl --config resources/examples/short-group.yaml --batches 3',
  run: async (context, options) => {
    const [{ groupSettings }, { readRows }, { promptRowSchema }] = await Promise.all([
      import('../stage-settings.ts'),
      import('../../rows/read-rows.ts'),
      import('../../rows/row-schemas.ts'),
    ])
    const { preset, config: file, seed, batches, data, initAdapter, rewardAdapter } = options
    const config = groupSettings('datc', { preset, file, seed, note: context.note })
    const rows = await readRows(data, promptRowSchema)
    const stage = await openModel(context, options)
    const { openStudy } = await import('../../engine/credit/datc/open-study.ts')
    const { singleStepStudy } = await import('../../engine/credit/datc/single-step-study.ts')
    const parts = openStudy(stage, { rows, file: data, initAdapter, rewardAdapter, config, batches })
    const study = await singleStepStudy(parts, (done) =>
      context.progress.report({ phase: 'batches', done, total: batches }),
    )
    nameDevice(context, stage)
    const figure = (value: number | null) => (value === null ? 'no spread' : decimal(value, 3))
    const lines = (of: (typeof study)['summary']) =>
      facts([
        ['Spearman', figure(of.spearman)],
        ['Pearson', figure(of.pearson)],
        ['R²', figure(of.r2)],
        ['X above 0', decimal(of.share_independent_positive, 2)],
        ['P above 0', decimal(of.share_shared_positive, 2)],
      ])
    return {
      json: study,
      text: () =>
        `${batches} batches, one AdamW step each\n${lines(study.summary)}\n\nplain gradient steps\n${lines(study.summary_plain)}`,
    }
  },
})

function atLeastThree(text: string): number {
  const value = positiveInteger(text)
  if (value < fewestBatches) throw new InvalidArgumentError(`Must be ${fewestBatches} or more.`)
  return value
}
