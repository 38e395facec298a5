/** `recompense credit audit`: which rollout, turn or token a policy gradient is made of, and proof that the parts add up. */
import { InvalidArgumentError, Option } from 'commander'
import { auditDefaults } from '../../../shared/audit-defaults.ts'
import {
  type AuditDtype,
  auditDtypes,
  type Partition,
  partitions,
  type Reduction,
  reductions,
} from '../../../shared/credit-audit.ts'
import { type Baseline, baselines } from '../../engine/credit/estimators/settings.ts'
import { auditText } from '../audit-text.ts'
import { define } from '../command.ts'
import { adapterFlag, type ComputeOptions, computeFlags, inputFlag, modelFlag, positiveNumber } from '../flags.ts'
import { nameDevice, openModel } from '../inference.ts'

interface Options extends ComputeOptions {
  readonly model: string
  readonly adapter?: string
  readonly input: string
  readonly partition: Partition
  readonly dtype: AuditDtype
  readonly baseline: Baseline
  readonly advantages?: string
  readonly reduction: Reduction
  readonly optimizerStep: string
  readonly learningRate: number
}

export const creditAudit = define<Options>({
  name: 'audit',
  summary: 'shares of a policy gradient by rollout, turn, segment or token, and whether they add up',
  options: [
    modelFlag(),
    adapterFlag(),
    inputFlag('trajectories with rewards and token ids (or texts, each turn tokenised by itself)'),
    new Option('--partition <by>', 'what gets a share').choices(partitions).default('rollout'),
    new Option('--dtype <name>', 'float of parameters and arithmetic; bfloat16 is emulated')
      .choices(auditDtypes)
      .default('float32'),
    new Option('--baseline <name>', 'what is subtracted from a reward (credit estimate monte-carlo)')
      .choices(baselines)
      .default(auditDefaults.baseline),
    new Option(
      '--advantages <file>',
      'advantages per token instead: a JSON result of credit estimate, or "recorded" for those the turns carry',
    ),
    new Option('--reduction <name>', 'sum: Σ A log π; response-mean: means over tokens, then over responses')
      .choices(reductions)
      .default(auditDefaults.reduction),
    new Option('--optimizer-step <name>', 'optimizer whose step is compared with the sum, or none')
      .argParser(notBlank)
      .default('sgd'),
    new Option('--learning-rate <η>', 'rate of that step')
      .argParser(positiveNumber)
      .default(auditDefaults.learningRate),
    ...computeFlags(),
  ],
  details: `With μ(k,t) = w·A·∇log π(token), the gradient g = Σμ of J = Σ w·A·log π is split over the parts. A share is ⟨g_S, g⟩/‖g‖²:
shares sum to 1, and one below 0 pulled against the step. norm_share is ‖g_S‖/‖g‖; those sum to the cancellation, not to 1.
g comes from a backward pass of its own, never from the parts; conservation_error is ‖Σg_S − g‖/‖g‖. --partition token
takes one forward-mode pass whatever the number of tokens, and its error is |Σ shares − 1|. Rollouts without a reward are
left out. The step is taken for real, on a copy; only plain sgd executes this sum, every other optimizer is refused by name.
It is first order and about this gradient at these parameters: removing a turn does not remove its share.
Result: partition, dtype, trained_positions, backward_passes, parts[{name, positions, projected_share, norm_share}],
projected_share_sum, conservation_error, cancellation, full_norm, step_conservation; or verdict, reason, numbers, remedy.`,
  example:
    'credit audit --model resources/models/embedded --input resources/examples/trajectories.jsonl --partition turn --dtype float64',
  run: async (context, options) => {
    const { auditFile } = await import('../../workbench/credit/audit-file.ts')
    const { partition, dtype, reduction, baseline, advantages, optimizerStep, learningRate } = options
    const stage = await openModel(context, options)
    const audit = await auditFile(
      stage,
      {
        input: options.input,
        ...(options.adapter !== undefined && { adapter: options.adapter }),
        ...(advantages !== undefined && advantages !== 'recorded' && { advantagesFile: advantages }),
        settings: {
          partition,
          dtype,
          reduction,
          advantages: advantages === undefined ? { method: 'monte-carlo', settings: { baseline } } : 'recorded',
          ...(optimizerStep !== 'none' && { step: { optimizer: optimizerStep, learning_rate: learningRate } }),
        },
      },
      (done, total) => {
        if (done === 0) nameDevice(context, stage)
        context.progress.report({ phase: 'audit', done, total })
      },
    )
    return { json: audit, text: () => auditText(audit, options.adapter, context.style) }
  },
})

function notBlank(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Must be the name of an optimizer, or none.')
  return text.trim()
}
