/** The figures of a supervised stage, SFT or reward model: loss with validation, gradient norm and learning rate. */
import type { UpdatePoint, ValidationPoint } from '../../../shared/study-document.ts'
import { integer } from '../number-text.ts'
import { type Block, counted, type Figure, measured, precise, type ReportTable } from '../section.ts'
import type { LinePoint, LineSeries, Role } from '../svg/chart.ts'

export interface SupervisedStage {
  readonly section: 'sft' | 'reward-model'
  /** As a title begins with it. */
  readonly name: string
  readonly role: Role
  readonly lossName: string
  readonly updates: readonly UpdatePoint[]
  readonly validation: readonly ValidationPoint[]
}

export function learningBlocks(stage: SupervisedStage): Block[] {
  const training = (name: string, of: (point: UpdatePoint) => number): LineSeries => ({
    name,
    role: stage.role,
    points: stage.updates.map((point) => ({ x: point.update, y: of(point) })),
    ...(stage.updates.length >= 40 ? { smoothing: 9 } : {}),
  })
  const updates = stage.updates.length
  const validated = stage.validation.length > 0
  const loss: Figure = {
    id: `figure-${stage.section}-loss`,
    title: `${stage.name}: loss`,
    caption: `${stage.lossName} by update (${integer(updates)} updates)${validated ? ', with validation after each epoch. Validation chose nothing: the final state is the last one' : ''}.`,
    chart: {
      kind: 'line',
      xLabel: 'optimiser update',
      yLabel: 'loss',
      include: [0],
      series: [
        training('training', (point) => point.loss),
        ...(validated ? [{ name: 'validation', role: 'neutral', points: validationPoints(stage) } as const] : []),
      ],
    },
    dataKey: `${stage.section}.data.updates`,
    data: updatesTable(stage),
  }
  const narrow: Figure[] = [
    {
      id: `figure-${stage.section}-gradient`,
      title: `${stage.name}: gradient norm`,
      caption: 'Global L2 norm before clipping.',
      chart: {
        kind: 'line',
        xLabel: 'optimiser update',
        yLabel: 'L2 norm before clipping',
        include: [0],
        series: [training('gradient norm', (point) => point.grad_norm)],
      },
      dataKey: `${stage.section}.data.updates`,
    },
    {
      id: `figure-${stage.section}-rate`,
      title: `${stage.name}: learning rate`,
      caption: 'Warm-up, then linear decay.',
      chart: {
        kind: 'line',
        xLabel: 'optimiser update',
        yLabel: 'learning rate',
        include: [0],
        series: [
          {
            name: 'learning rate',
            role: stage.role,
            points: stage.updates.map((point) => ({ x: point.update, y: point.learning_rate })),
          },
        ],
      },
      dataKey: `${stage.section}.data.updates`,
    },
  ]
  return [
    { kind: 'figures', width: 'wide', figures: [loss] },
    { kind: 'figures', width: 'narrow', figures: narrow },
    ...(validated ? [{ kind: 'table', table: validationTable(stage) } as const] : []),
  ]
}

/** Validation has an epoch and no update number: it stands where its epoch's last update does. */
function validationPoints(stage: SupervisedStage): LinePoint[] {
  return stage.validation.map((point) => {
    const done = stage.updates.filter((update) => update.epoch <= point.epoch).at(-1)
    return { x: done?.update ?? 0, y: point.loss }
  })
}

function updatesTable({ section, name, updates }: SupervisedStage): ReportTable {
  return {
    id: `table-${section}-updates`,
    caption: `${name}: every update`,
    columns: [
      { label: 'Update', numeric: true },
      { label: 'Epoch', numeric: true },
      { label: 'Loss', numeric: true },
      { label: 'Gradient norm', numeric: true },
      { label: 'Learning rate', numeric: true },
      { label: 'Denominator', numeric: true },
    ],
    rows: updates.map((point) => ({
      cells: [
        counted(point.update),
        counted(point.epoch),
        measured(point.loss, 4),
        measured(point.grad_norm, 4),
        precise(point.learning_rate),
        counted(point.denominator),
      ],
    })),
  }
}

function validationTable(stage: SupervisedStage): ReportTable {
  const judging = stage.validation.some((point) => point.accuracy !== null)
  return {
    id: `table-${stage.section}-validation`,
    caption: `${stage.name}: validation after each epoch; used for no selection`,
    columns: [
      { label: 'Epoch', numeric: true },
      { label: 'n', numeric: true },
      { label: 'Loss', numeric: true },
      ...(judging
        ? [
            { label: 'Accuracy', numeric: true },
            { label: 'Ties', numeric: true },
          ]
        : []),
    ],
    rows: stage.validation.map((point) => ({
      cells: [
        counted(point.epoch),
        counted(point.population),
        measured(point.loss, 4),
        ...(judging ? [measured(point.accuracy, 4), counted(point.ties)] : []),
      ],
    })),
  }
}
