/** `recompense credit concentration`: on how few turns of a rollout the policy gradient stands. */
import { Option } from 'commander'
import { auditDefaults } from '../../../shared/audit-defaults.ts'
import { type AuditDtype, auditDtypes, type Reduction, reductions } from '../../../shared/credit-audit.ts'
import type { ConcentrationAt } from '../../../shared/turn-concentration.ts'
import { type Baseline, baselines } from '../../engine/credit/estimators/settings.ts'
import type { ConcentrationOfFile } from '../../workbench/credit/turn-concentration.ts'
import { auditText } from '../audit-text.ts'
import { define } from '../command.ts'
import { count, decimal } from '../figures.ts'
import { adapterFlag, type ComputeOptions, computeFlags, inputFlag, modelFlag } from '../flags.ts'
import { nameDevice, openModel } from '../inference.ts'
import { plainText } from '../plain-text.ts'
import type { Style } from '../style.ts'
import { facts, table } from '../table.ts'

interface Options extends ComputeOptions {
  readonly model: string
  readonly adapter?: string
  readonly input: string
  readonly dtype: AuditDtype
  readonly baseline: Baseline
  readonly advantages?: 'recorded'
  readonly reduction: Reduction
}

export const creditConcentration = define<Options>({
  name: 'concentration',
  summary: 'on how few turns of a rollout the policy gradient stands',
  options: [
    modelFlag(),
    adapterFlag(),
    inputFlag('trajectories of several turns, with rewards'),
    new Option('--dtype <name>', 'float of parameters and arithmetic').choices(auditDtypes).default('float32'),
    new Option('--baseline <name>', 'what is subtracted from a reward')
      .choices(baselines)
      .default(auditDefaults.baseline),
    new Option('--advantages <source>', 'recorded: those that the turns carry').choices(['recorded']),
    new Option('--reduction <name>', 'as in credit audit').choices(reductions).default(auditDefaults.reduction),
    ...computeFlags(),
  ],
  details: `Two audits of one gradient, by turn and by rollout. A turn's weight is ‖g_turn‖ over the sum of its rollout's turn norms;
effective turns are 1/Σ weight². Beside both stands the same of the action tokens: what a turn would weigh by its length
alone. Means are over rollouts of at least two turns that have credit. cancellation_within is Σ‖g_turn‖/‖g_rollout‖.
With one advantage a rollout every token of it is credited alike, so this describes gradients, not which turn was right.
Result: rollouts, without_credit, single_turn, several_turns, mean_turns, top_turn_share, top_token_share, effective_turns,
effective_turns_by_tokens, cancellation_within, cancellation, by_place[], last, by_event[], conservation_error, ….`,
  example:
    'credit concentration --model resources/models/embedded --input resources/examples/trajectories.jsonl --threads 1',
  run: async (context, options) => {
    const { concentrationOfFile } = await import('../../workbench/credit/turn-concentration.ts')
    const stage = await openModel(context, options)
    const { dtype, reduction, baseline, advantages, adapter, input } = options
    const read = await concentrationOfFile(
      stage,
      {
        input,
        ...(adapter !== undefined && { adapter }),
        settings: {
          dtype,
          reduction,
          advantages: advantages ?? { method: 'monte-carlo', settings: { baseline } },
        },
      },
      (partition, done, total) => {
        if (done === 0 && partition === 'turn') nameDevice(context, stage)
        context.progress.report({ phase: `audit by ${partition}`, done, total })
      },
    )
    return {
      json: read,
      text: () =>
        'verdict' in read ? auditText(read, options.adapter, context.style) : concentrationText(read, context.style),
    }
  },
})

function concentrationText(read: ConcentrationOfFile, style: Style): string {
  const number = (value: number | null, digits = 3) => (value === null ? '—' : decimal(value, digits))
  const rows = [...read.by_place, read.last, ...read.by_event]
  const right = 'right' as const
  return [
    facts([
      [
        'rollouts',
        `${count(read.several_turns)} of several turns; ${count(read.single_turn)} of one, ${count(read.without_credit)} without credit, ${count(read.left_out.length)} without a grade`,
      ],
      ['turns', `${number(read.mean_turns, 2)} a rollout`],
      [
        'top turn',
        `${number(read.top_turn_share)} of its rollout's norms; the longest has ${number(read.top_token_share)} of its tokens`,
      ],
      [
        'effective turns',
        `${number(read.effective_turns, 2)} by norms, ${number(read.effective_turns_by_tokens, 2)} by tokens`,
      ],
      [
        'cancels',
        `Σ norms ${number(read.cancellation_within, 2)} within a rollout, ${number(read.cancellation, 2)} over the batch`,
      ],
    ]),
    '',
    table<ConcentrationAt>(
      [
        { title: 'turns at', cell: ({ name }) => plainText(name) },
        { title: 'count', cell: ({ turns }) => count(turns), align: right },
        { title: 'tokens', cell: (row) => number(row.mean_tokens, 1), align: right },
        { title: 'weight', cell: (row) => number(row.mean_weight), align: right },
        { title: 'by tokens', cell: (row) => number(row.mean_token_share), align: right },
        { title: 'norm a token', cell: (row) => number(row.norm_per_token, 4), align: right },
        { title: 'share of the step', cell: (row) => number(row.projected_share, 4), align: right },
      ],
      rows,
    ),
    style.quiet(
      `advantages: ${plainText(read.advantages)}; shares of all turns of all rollouts add up to ${decimal(read.projected_share_sum, 6)}; above stand those of rollouts of several turns, the last turn a second time. First order, and of this gradient at these parameters.`,
    ),
  ].join('\n')
}
