/** The cells: token over token where two rows are compared, each with its text, its number and its colour. */
import type { KeyboardEvent } from 'react'
import { type ColourScale, cellColour, cellText } from './colour-scale.ts'
import type { LatticeRow } from './lattice-rows.ts'
import { type Quantity, quantityOf, visibleToken } from './token-numbers.ts'
import classes from './tokens.module.css'

export interface Place {
  readonly row: number
  readonly index: number
}

interface Props {
  readonly rows: readonly LatticeRow[]
  readonly quantity: Quantity
  readonly scale: ColourScale
  readonly at: Place | null
  readonly onMove: (place: Place) => void
}

export function LatticeGrid({ rows, quantity, scale, at, onMove }: Props) {
  const columns = Math.max(0, ...rows.map((row) => row.tokens.length))
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const now = at ?? { row: 0, index: -1 }
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 0, ArrowDown: 0 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const row = Math.min(rows.length - 1, Math.max(0, now.row + rowStep(event.key)))
    const length = rows[row]?.tokens.length ?? 0
    const index = Math.min(length - 1, Math.max(0, now.index + by))
    if (index < 0) return
    onMove({ row, index })
    event.currentTarget.querySelector<HTMLElement>(`[data-place="${row} ${index}"]`)?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys of the cells inside
    <div className={classes.cells} onKeyDown={move}>
      {Array.from({ length: columns }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is its position in the response
        <div key={index} className={classes.stack}>
          {rows.map((row, rowIndex) => {
            const token = row.tokens[index]
            if (token === undefined) {
              return (
                <span key={row.letter} className={`${classes.cell} ${classes.missing}`} aria-hidden="true">
                  <code> </code>
                  <small>·</small>
                </span>
              )
            }
            const value = quantityOf(token, quantity, row.update)
            const chosen = at?.row === rowIndex && at.index === index
            const first = at === null && rowIndex === 0 && index === 0
            return (
              <button
                key={row.letter}
                type="button"
                className={classes.cell}
                style={{ background: cellColour(scale.at(value)) }}
                data-place={`${rowIndex} ${index}`}
                aria-pressed={chosen}
                aria-label={`${rows.length > 1 ? `${row.letter}, ` : ''}token ${index + 1}, ${visibleToken(token.text)}, ${quantity} ${cellText(value, quantity)}`}
                tabIndex={chosen || first ? 0 : -1}
                onMouseEnter={() => onMove({ row: rowIndex, index })}
                onFocus={() => onMove({ row: rowIndex, index })}
              >
                <code>{visibleToken(token.text)}</code>
                <small>{cellText(value, quantity)}</small>
              </button>
            )
          })}
        </div>
      ))}
    </div>
  )
}

const rowStep = (key: string): number => (key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : 0)
