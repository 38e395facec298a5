/** Studies of single steps as tables and points. */
import { counted, measured, precise, shared, type Table, written } from '../../../main/report/section.ts'
import type { PlanePlot } from '../../../main/report/svg/chart.ts'
import type { DatcStudyListing, SingleStepStudy, StudyBatch, StudySummary } from '../../../shared/datc-study.ts'
import { setting } from '../../words/index.ts'

export interface ReadStudy {
  readonly listing: DatcStudyListing
  readonly study: SingleStepStudy
}

/** Null where one of both has no spread. */
const correlation = (value: number | null) => (value === null ? written(null, 'no spread') : measured(value))

export function summaryTable({ summary, summary_plain: plain }: SingleStepStudy): Table {
  const row = (name: string, of: (one: StudySummary) => Table['rows'][number]['cells'][number], note: string) => ({
    cells: [name, of(summary), of(plain), note],
  })
  return {
    caption: 'What the points come to',
    columns: [
      { label: 'Figure' },
      { label: 'One AdamW step', numeric: true },
      { label: 'Plain gradient step', numeric: true },
      { label: 'Of what' },
    ],
    rows: [
      row('Batches', ({ batches }) => counted(batches), 'each sampled anew from the same policy'),
      row('Spearman', ({ spearman }) => correlation(spearman), 'ranks of X and P'),
      row('Pearson', ({ pearson }) => correlation(pearson), 'X and P themselves'),
      row('R²', ({ r2 }) => correlation(r2), 'of the straight line of P on X'),
      row(
        'X above 0',
        ({ share_independent_positive: share }) => shared(share),
        'so by construction wherever utilities differ',
      ),
      row('P above 0', ({ share_shared_positive: share }) => shared(share), 'what is tested'),
    ],
  }
}

export function studiesTable(studies: readonly ReadStudy[]): Table {
  return {
    caption: 'Studies side by side',
    columns: [
      { label: 'Prompts' },
      { label: 'Batches', numeric: true },
      { label: 'Prompts × rollouts', numeric: true },
      { label: 'Learning rate', numeric: true },
      { label: 'Seed', numeric: true },
      { label: 'λ', numeric: true },
      { label: 'Ablation' },
      { label: 'Spearman', numeric: true },
      { label: 'P above 0', numeric: true },
    ],
    rows: studies.map(({ listing: { prompts_name, batches, config }, study: { summary } }) => ({
      cells: [
        prompts_name,
        counted(batches),
        `${config.prompts_per_rollout} × ${config.group_size}`,
        written(config.learning_rate, setting(config.learning_rate)),
        written(config.seed, String(config.seed)),
        written(config.max_weight, setting(config.max_weight)),
        config.ablation,
        correlation(summary.spearman),
        shared(summary.share_shared_positive),
      ],
    })),
  }
}

export function batchTable({ rows }: SingleStepStudy): Table {
  return {
    caption: 'Batch by batch',
    columns: [
      { label: 'Batch' },
      { label: 'X, independent logits', numeric: true },
      { label: 'P, one AdamW step', numeric: true },
      { label: 'P, plain gradient step', numeric: true },
      { label: 'Groups with a difference', numeric: true },
    ],
    rows: rows.map((row, at) => ({
      cells: [
        `batch ${at + 1}`,
        precise(row.independent_gain),
        precise(row.shared_gain),
        precise(row.shared_gain_plain),
        counted(row.informative_groups),
      ],
    })),
  }
}

/** X across, P up: a point a batch. */
export function studyPoints({ rows }: SingleStepStudy, step: 'adamw' | 'plain'): PlanePlot {
  const sharedGain = (row: StudyBatch) => (step === 'adamw' ? row.shared_gain : row.shared_gain_plain)
  return {
    kind: 'plane',
    xLabel: 'X: predicted gain in independent logits',
    yLabel: `P: gain of one ${step === 'adamw' ? 'AdamW' : 'plain gradient'} step`,
    role: step === 'adamw' ? 'policy' : 'reference',
    points: rows.map((row, at) => ({
      x: row.independent_gain,
      y: sharedGain(row),
      label: `batch ${at + 1}, groups with a difference: ${row.informative_groups}`,
    })),
  }
}
