/** Credit: which rollouts pushed, whether the parts add up to the whole, and what was refused. */
import type { CreditAudit } from '../../../shared/credit-audit.ts'
import type { StudyCredit, StudyReading } from '../../../shared/study-credit.ts'
import type { StudyDocument } from '../../../shared/study-document.ts'
import { askedWords, auditBars, otherSampler, verdictOf } from '../credit-shares.ts'
import { estimatorName } from '../estimator-name.ts'
import { decimal, integer, significant } from '../number-text.ts'
import type { Block, Figure, Section } from '../section.ts'
import type { LinePoint } from '../svg/chart.ts'
import { datcBlocks } from './credit-datc.ts'
import { auditsTable, methodsTable, readingsTable, refusalsOf, sharesTable, unfedTable } from './credit-tables.ts'

/** The section of a study whose gradients were audited or weighed; of another there is none. */
export function creditSection({ credit }: StudyDocument): Section[] {
  if (credit === undefined) return []
  const blocks: Block[] = [
    ...closing(credit),
    ...shares(credit),
    ...refusals(credit),
    ...methods(credit),
    ...datcBlocks(credit.datc),
    {
      kind: 'text',
      tone: 'note',
      text: 'A share is first order: a part’s gradient along the whole gradient, at one set of parameters. It says who pushed the update, not what the update would have been without the part, and not which token earned the reward.',
    },
  ]
  return [{ id: 'credit', title: 'Credit', question: 'Who got the credit, and does it add up?', blocks, data: credit }]
}

type Known = StudyReading & { readonly reading: NonNullable<StudyReading['reading']> }
const isKnown = (line: StudyReading): line is Known => line.reading !== null

/** Does it add up? Over all updates that were audited while learning. */
function closing({ readings }: StudyCredit): Block[] {
  const known = readings.filter(isKnown)
  const last = known.at(-1)
  if (last === undefined) return []
  const worst = known.reduce((a, b) => (b.reading.conservation_error > a.reading.conservation_error ? b : a))
  const adds = known.every(({ reading, dtype }) => verdictOf({ ...reading, dtype }).adds)
  const cancellations = known.map(({ reading }) => reading.cancellation)
  return [
    {
      kind: 'highlights',
      items: [
        {
          label: 'Σ projected shares, last audited update',
          figure: decimal(last.reading.projected_share_sum),
          note: `update ${last.update}, iteration ${last.iteration}`,
        },
        {
          label: 'Largest conservation error',
          figure: significant(worst.reading.conservation_error),
          note: `${adds ? 'within' : 'beyond'} the rounding of ${worst.dtype}, update ${worst.update}`,
        },
        {
          label: 'Cancellation',
          figure: `${decimal(Math.min(...cancellations), 2)} to ${decimal(Math.max(...cancellations), 2)}`,
          note: 'Σ of the norm shares; at 1 all parts pull one way',
        },
      ],
    },
    ...(known.length < 2 ? [] : [{ kind: 'figures', width: 'narrow', figures: curves(known) } as const]),
    { kind: 'table', table: readingsTable(readings) },
  ]
}

function curves(known: readonly Known[]): Figure[] {
  const points = (of: (line: Known) => number): LinePoint[] => known.map((line) => ({ x: line.update, y: of(line) }))
  const xLabel = 'update'
  const dataKey = 'credit.data.readings'
  return [
    {
      id: 'figure-credit-cancellation',
      title: 'Cancellation',
      caption: 'How much of what single rollouts push is undone by others: 1 is none.',
      chart: {
        kind: 'line',
        xLabel,
        yLabel: 'Σ norm shares',
        include: [1],
        levels: [1],
        series: [{ name: 'cancellation', role: 'policy', points: points(({ reading }) => reading.cancellation) }],
      },
      dataKey,
    },
    {
      id: 'figure-credit-conservation',
      title: 'Conservation error',
      caption: 'The parts’ gradients against a backward pass of their own for the whole; by token, the sum of shares.',
      chart: {
        kind: 'line',
        xLabel,
        yLabel: 'log₁₀ of the relative error',
        series: [
          {
            name: 'by rollout',
            role: 'policy',
            points: points(({ reading }) => exponent(reading.conservation_error)),
          },
          {
            name: 'by token',
            role: 'reference',
            points: points(({ reading }) => exponent(reading.token_conservation_error)),
          },
        ],
      },
      dataKey,
    },
  ]
}

/** An error of exactly zero has no exponent: a gap. */
const exponent = (error: number) => (error === 0 ? Number.NaN : Math.log10(error))

function shares({ readings, audits }: StudyCredit): Block[] {
  const last = readings.findLast(isKnown)
  const newest = audits.findLast((one) => !('verdict' in one.audit))
  const asked = newest?.audit as CreditAudit | undefined
  const blocks: Block[] = []
  if (last !== undefined) {
    const { rollouts } = last.reading
    const parts = rollouts.map(({ rollout_id, ...share }) => ({ name: rollout_id, ...share }))
    blocks.push({
      kind: 'figures',
      width: 'wide',
      figures: [
        {
          id: 'figure-credit-shares',
          title: `Shares by rollout at update ${integer(last.update)}`,
          caption: `The last audited update: the gradient of the run’s own loss at the policy just before the step, ${integer(last.reading.trained_positions)} trained positions of ${integer(rollouts.length)} rollouts in ${last.dtype}. A negative share pulls against the whole.`,
          chart: auditBars(parts),
          dataKey: 'credit.data.readings',
          data: sharesTable('table-credit-shares', `Shares by rollout at update ${last.update}`, parts),
        },
      ],
    })
  }
  if (audits.length > 0) blocks.push({ kind: 'subheading', text: 'Audits that were asked for' })
  if (newest !== undefined && asked !== undefined) {
    blocks.push({
      kind: 'figures',
      width: 'wide',
      figures: [
        {
          id: 'figure-credit-asked-shares',
          title: `Shares by ${asked.partition}, newest audit`,
          caption: `${askedWords(asked, newest.policy)}. ${otherSampler(newest.policy, newest.sampled)}`.trimEnd(),
          chart: auditBars(asked.parts),
          dataKey: 'credit.data.audits',
          data: sharesTable('table-credit-asked-shares', `Shares by ${asked.partition}, newest audit`, asked.parts),
        },
      ],
    })
  }
  if (audits.length > 0) blocks.push({ kind: 'table', table: auditsTable(audits) })
  if (audits.some(({ sampled }) => sampled === false)) {
    blocks.push({
      kind: 'text',
      tone: 'note',
      text: 'Where other parameters sampled the rollouts, the shares are of the gradient at the policy that the table names, not of the update that the run made.',
    })
  }
  return blocks
}

function refusals(credit: StudyCredit): Block[] {
  const items = refusalsOf(credit)
  return items.length === 0
    ? []
    : [
        { kind: 'subheading', text: 'Refused' },
        { kind: 'list', items },
      ]
}

function methods({ methods: asked }: StudyCredit): Block[] {
  if (asked === null) return []
  const { comparison, refused, iteration, rollouts, largest_group: largest } = asked
  const nothing = (comparison?.methods ?? []).filter(({ summary: { token } }) => token.mean === 0 && token.std === 0)
  return [
    { kind: 'subheading', text: 'Estimators side by side' },
    {
      kind: 'text',
      text: `Every estimator, with the γ and λ of the run, on the ${integer(rollouts)} rollouts of iteration ${integer(iteration)}${comparison === null ? '' : `, ${integer(comparison.tokens)} tokens`}. Advantages of different estimators have different units; their order and signs can be compared.`,
    },
    ...(comparison === null ? [] : [{ kind: 'table', table: methodsTable(comparison) } as const]),
    ...(nothing.length === 0
      ? []
      : [
          {
            kind: 'text',
            tone: 'note',
            text: `${nothing.map(estimatorName).join(', ')}: 0 for every token, so it has no order to correlate${largest === 1 ? '. Every group of these rollouts holds one: what compares a group’s rollouts with each other has nothing to compare' : ''}.`,
          } as const,
        ]),
    ...(refused.length === 0 ? [] : [{ kind: 'table', table: unfedTable(refused) } as const]),
  ]
}
