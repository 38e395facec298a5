/** What scored examples do, as people read it: rows with shift and bound, layers with mass and bound, and what it is not. */
import type { InContextLayer, InContextReading, InContextRow } from '../../shared/in-context.ts'
import { mean } from '../engine/study/statistics.ts'
import { count, decimal, plural, significant } from './figures.ts'
import { plainText } from './plain-text.ts'
import type { Style } from './style.ts'
import { facts, table } from './table.ts'

/** A terminal shows no more at a glance; --json has every row. */
const mostRows = 40
const right = 'right' as const

export function inContextText({ rows, forward_passes }: InContextReading, style: Style): string {
  const shown = rows.slice(0, mostRows)
  const hidden = rows.length - shown.length
  return [
    table<InContextRow>(
      [
        { title: 'row', cell: ({ id }) => plainText(id) },
        { title: 'examples', cell: ({ examples }) => count(examples.length), align: right },
        { title: 'of the tokens', cell: (row) => decimal(row.example_tokens / row.tokens, 3), align: right },
        { title: 'attention', cell: ({ mass_mean }) => decimal(mass_mean, 3), align: right },
        { title: 'KL(p‖q)', cell: ({ shift }) => significant(shift.kl), align: right },
        { title: 'bound', cell: ({ shift }) => significant(shift.kl_bound), align: right },
        { title: 'TV', cell: ({ shift }) => significant(shift.total_variation), align: right },
        {
          title: 'other order: KL',
          cell: ({ scores }) => (scores === null ? '—' : significant(scores.shift.kl)),
          align: right,
        },
        {
          title: 'largest change, q → p',
          cell: ({ changed_tokens: [first] }) => (first === undefined ? '' : changed(first)),
        },
      ],
      shown,
    ),
    ...(hidden > 0 ? [style.quiet(`the first ${mostRows} rows; ${hidden} more with --json`)] : []),
    '',
    table<LayerMeans>(
      [
        { title: 'layer', cell: ({ layer }) => String(layer) },
        { title: 'attention', cell: ({ mass }) => decimal(mass, 3), align: right },
        { title: 'largest head', cell: ({ largest }) => decimal(largest, 3), align: right },
        { title: '‖o‖', cell: ({ output }) => significant(output), align: right },
        { title: '‖o − o′‖', cell: ({ update }) => (update === null ? '—' : significant(update)), align: right },
        { title: 'bound', cell: ({ bound }) => (bound === null ? '—' : significant(bound)), align: right },
        { title: 'KL, hidden from it alone', cell: ({ alone }) => significant(alone), align: right },
      ],
      layerMeans(rows),
    ),
    style.quiet(
      rows.length === 1 ? 'at the last position of the prompt' : 'at the last position of the prompt, means over rows',
    ),
    '',
    facts(closing(rows)),
    style.quiet(
      `${count(forward_passes)} forward ${forward_passes === 1 ? 'pass' : 'passes'}. A forward pass at fixed parameters: nothing is learned, no credit is given, and a small KL is no trust region of training.`,
    ),
  ].join('\n')
}

/** A token as it is read, spaces and breaks included; by its id where it is no text, or a part of a character. */
const changed = ({ id, text, with: p, without: q }: InContextRow['changed_tokens'][number]) =>
  `${text === '' || text.includes('\uFFFD') ? `id ${id}` : plainText(JSON.stringify(text))} ${decimal(q, 3)} → ${decimal(p, 3)}`

const onScores = ({ examples }: InContextRow) => examples.reduce((sum, { score_mass }) => sum + score_mass, 0)

interface LayerMeans {
  readonly layer: number
  readonly mass: number
  readonly largest: number
  readonly output: number
  readonly update: number | null
  readonly bound: number | null
  readonly alone: number
}

function layerMeans(rows: readonly InContextRow[]): LayerMeans[] {
  const layers = rows[0]?.layers ?? []
  return layers.map(({ layer }, l) => {
    const over = (read: (layer: InContextLayer) => number) => mean(rows.map((row) => read(row.layers[l]!)))
    const known = rows.every((row) => row.layers[l]!.update_norm !== null)
    return {
      layer,
      mass: over(({ mass_mean }) => mass_mean),
      largest: over(({ mass_max }) => mass_max),
      output: over(({ output_norm }) => output_norm),
      update: known ? over(({ update_norm }) => update_norm!) : null,
      bound: known ? over(({ update_bound }) => update_bound!) : null,
      alone: over(({ kl_alone }) => kl_alone),
    }
  })
}

function closing(rows: readonly InContextRow[]): (readonly [string, string])[] {
  const means = (read: (row: InContextRow) => number) => significant(mean(rows.map(read)))
  return [
    ['p, q', 'next token with the examples, and where no layer sees them; same ids, same positions'],
    [
      'means',
      `KL(p‖q) ${means(({ shift }) => shift.kl)} of at most ${means(({ shift }) => shift.kl_bound)}; TV ${means(({ shift }) => shift.total_variation)} of at most ${means(({ shift }) => shift.pinsker_bound)}; entropy ${means(({ entropy_without }) => entropy_without)} → ${means(({ entropy_with }) => entropy_with)} nats`,
    ],
    [
      'attention',
      `${decimal(mean(rows.map(({ mass_mean }) => mass_mean)), 3)} on the examples, ${decimal(mean(rows.map(onScores)), 3)} on their scores alone; spread evenly, ${decimal(mean(rows.map((row) => row.example_tokens / row.tokens)), 3)} would be on the examples`,
    ],
    ...orderFacts(rows),
  ]
}

/** What another order of the scores makes, and which rows it says nothing, or something else, of. */
function orderFacts(rows: readonly InContextRow[]): (readonly [string, string])[] {
  const controlled = rows.flatMap(({ shift, scores }) => (scores === null ? [] : [{ shift, scores }]))
  if (controlled.length === 0)
    return [['other order', 'no row has scores that differ: there is no other order of them']]
  const equal = rows.length - controlled.length
  const shifted = controlled.filter(({ scores }) => scores.order === 'shifted').length
  const moved = controlled.filter(({ scores }) => !scores.same_positions).length
  const made = significant(mean(controlled.map(({ scores }) => scores.shift.kl)))
  const whole = significant(mean(controlled.map(({ shift }) => shift.kl)))
  return [
    ['other order', `same texts, scores reversed: KL ${made}; in the same rows KL(p‖q) is ${whole}`],
    ...(equal > 0 ? [['', `${plural(equal, 'row')} with equal scores left out`] as const] : []),
    ...(shifted > 0
      ? [['', `${plural(shifted, 'row')} shifted by one instead: the reverse is the same`] as const]
      : []),
    ...(moved > 0
      ? [['', `in ${plural(moved, 'row')} scores of unequal length move the tokens between them`] as const]
      : []),
  ]
}
