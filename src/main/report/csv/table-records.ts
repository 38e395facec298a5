/** Tables and sample texts of the report as records. */
import type { Cell, Exchange, Table } from '../section.ts'
import type { Field } from './records.ts'

export interface Records {
  readonly head: readonly string[]
  readonly rows: readonly (readonly Field[])[]
}

/** Digits and signs only: such a text says no more than its value. */
const bare = /^[\d.,\u2212+e-]*$|^—$/

/**
 * Numbers stand by their exact value. Where readers are told more than the value — a unit, a denominator, a rounding to
 * per cent — a column beside it has the words as they are printed.
 */
export function tableRecords(table: Table): Records {
  const worded = table.columns.map((_, index) =>
    table.rows.some(({ cells }) => {
      const cell = cells[index]
      return typeof cell === 'object' && cell.kind === 'number' && !bare.test(cell.text)
    }),
  )
  return {
    head: table.columns.flatMap(({ label }, index) =>
      worded[index] === true ? [label, `${label} (as printed)`] : [label],
    ),
    rows: table.rows.map(({ cells }) =>
      table.columns.flatMap((_, index) => {
        const cell = cells[index] ?? ''
        return worded[index] === true ? [fieldOf(cell), typeof cell === 'string' ? cell : cell.text] : [fieldOf(cell)]
      }),
    ),
  }
}

function fieldOf(cell: Cell): Field {
  if (typeof cell === 'string') return cell
  return cell.kind === 'number' ? cell.value : cell.text
}

export function exchangeRecords(exchanges: readonly Exchange[]): Records {
  return {
    head: ['Row', 'Prompt', 'Policy', 'Response', 'End', 'Learned reward', 'Rubric passed', 'Rubric'],
    rows: exchanges.flatMap((exchange) =>
      exchange.responses.map((response) => [
        exchange.heading,
        exchange.prompt,
        response.name,
        response.text,
        response.finish,
        response.reward.value,
        response.rubric.good ? 'yes' : 'no',
        response.rubric.text,
      ]),
    ),
  }
}
