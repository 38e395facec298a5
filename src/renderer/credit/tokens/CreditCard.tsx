/** Every number of the chosen token, whatever it is coloured by. */
import { decimal } from '../../../main/report/number-text.ts'
import { visibleToken } from '../../tokens/token-numbers.ts'
import lattice from '../../tokens/tokens.module.css'
import type { TokenQuantity } from './quantities.ts'
import type { LineCell } from './token-lines.ts'

interface Props {
  readonly cell: LineCell | null
  readonly of: string
  readonly quantities: readonly TokenQuantity[]
  readonly chosen: string
}

const kindWords = {
  action: 'action: trained on',
  observation: 'observation: read, never trained on',
  prompt: 'prompt: masked',
} as const

export function CreditCard({ cell, of, quantities, chosen }: Props) {
  if (cell === null) {
    return (
      <aside className={lattice.card} aria-label="Numbers of a token">
        <p className={lattice.help}>Point at a token, or move with the arrow keys, to read all its numbers.</p>
      </aside>
    )
  }
  return (
    <aside className={lattice.card} aria-label="Numbers of a token" aria-live="polite">
      <h3>
        <code>{visibleToken(cell.text)}</code>
      </h3>
      <p className={lattice.help}>
        {of}, {cell.place}, id {cell.id}; {kindWords[cell.kind]}
      </p>
      {cell.kind === 'action' && (
        <table>
          <tbody>
            {quantities.map(({ key, label, value }) => (
              <tr key={key} data-chosen={key === chosen}>
                <th scope="row">{label}</th>
                <td>{decimal(value(of, cell.turn, cell.index), 4)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </aside>
  )
}
