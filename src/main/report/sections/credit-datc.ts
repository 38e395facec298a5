/** DATC in the credit section: readings of token weights, and whether the gain they predict reached single steps. */
import type { StudySummary } from '../../../shared/datc-study.ts'
import type { StudyDatc } from '../../../shared/study-credit.ts'
import { significant } from '../number-text.ts'
import { type Block, type Cell, counted, measured, precise, type ReportTable, shared, written } from '../section.ts'

export function datcBlocks(datc: StudyDatc | undefined): Block[] {
  const { readings = [], steps = [] } = datc ?? {}
  if (readings.length === 0 && steps.length === 0) return []
  return [
    { kind: 'subheading', text: 'Direction-aware token weights (DATC)' },
    ...(readings.length === 0 ? [] : [{ kind: 'table', table: weightsTable(readings) } as const]),
    ...(steps.length === 0 ? [] : [{ kind: 'table', table: stepsTable(steps) } as const]),
    {
      kind: 'text',
      tone: 'note',
      text: `A predicted gain is first order, as if every token had logits of its own.${
        steps.length === 0
          ? ''
          : ' X, what the weights add to it in a batch, is above 0 by construction; P, what one step of the shared parameters adds to the surrogate reward, is what is tested. Neither is the reward of a run.'
      }`,
    },
  ]
}

function weightsTable(readings: StudyDatc['readings']): ReportTable {
  return {
    id: 'table-credit-datc',
    caption: 'Token weights of the PPO run’s rollouts',
    columns: [
      { label: 'Iterations' },
      { label: 'Policy' },
      { label: 'λ', numeric: true },
      { label: 'Ablation' },
      { label: 'Rollouts', numeric: true },
      { label: 'Predicted gain, mean', numeric: true },
      { label: 'With equal weights', numeric: true },
    ],
    rows: readings.map((one) => ({
      cells: [
        one.iterations === null ? 'all' : [...new Set(one.iterations)].join('–'),
        one.policy,
        precise(one.max_weight),
        one.ablation,
        counted(one.rollouts),
        precise(one.predicted_gain),
        precise(one.predicted_gain_uniform),
      ],
    })),
  }
}

/** Two rows a study: AdamW's step, and the plain gradient's. */
function stepsTable(steps: StudyDatc['steps']): ReportTable {
  const correlation = (value: number | null): Cell => (value === null ? written(null, 'no spread') : measured(value))
  const row = (step: string, of: StudySummary, { from, learning_rate, ablation }: StudyDatc['steps'][number]) => ({
    cells: [
      `the policy ${from} PPO`,
      step === 'AdamW' ? `AdamW, rate ${significant(learning_rate)}` : step,
      ablation,
      counted(of.batches),
      correlation(of.spearman),
      correlation(of.pearson),
      correlation(of.r2),
      shared(of.share_independent_positive),
      shared(of.share_shared_positive),
    ],
  })
  return {
    id: 'table-credit-datc-steps',
    caption: 'Predicted gain X against the gain P of a single step, over batches',
    columns: [
      { label: 'From' },
      { label: 'Step' },
      { label: 'Ablation' },
      { label: 'Batches', numeric: true },
      { label: 'Spearman', numeric: true },
      { label: 'Pearson', numeric: true },
      { label: 'R²', numeric: true },
      { label: 'X above 0', numeric: true },
      { label: 'P above 0', numeric: true },
    ],
    rows: steps.flatMap((one) => [row('AdamW', one.summary, one), row('plain gradient', one.summary_plain, one)]),
  }
}
