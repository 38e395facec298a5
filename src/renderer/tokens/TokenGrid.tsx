/** Cells in lines, token over token where several lines stand together: text, number and colour; arrow keys move. */
import type { KeyboardEvent } from 'react'
import { type ColourScale, cellColour, cellText, type ScaleKind } from './colour-scale.ts'
import { visibleToken } from './token-numbers.ts'
import classes from './tokens.module.css'

export interface GridCell {
  readonly text: string
  /** NaN where there is none. */
  readonly value: number
  /** Only actions carry credit; what was read is hatched, what was asked is grey. */
  readonly kind: 'action' | 'observation' | 'prompt'
  /** As a screen reader is told where it is: "token 3", "turn 2/token 3", from zero. */
  readonly place: string
}

export interface GridLine {
  readonly key: string
  /** Stands before its cells' names where several lines stand together. */
  readonly letter: string | null
  readonly cells: readonly GridCell[]
  /** Where lines do not share one: each then spans its own values. */
  readonly scale?: ColourScale
}

/** A line and a cell in it, from zero. */
export interface Place {
  readonly row: number
  readonly index: number
}

interface Props {
  readonly lines: readonly GridLine[]
  /** What the numbers are. */
  readonly quantity: string
  readonly kind: ScaleKind
  readonly scale: ColourScale
  readonly at: Place | null
  readonly onMove: (place: Place) => void
}

const kindWords = { action: '', observation: ', observation', prompt: ', prompt' } as const

export function TokenGrid({ lines, quantity, kind, scale, at, onMove }: Props) {
  const columns = Math.max(0, ...lines.map((line) => line.cells.length))
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const now = at ?? { row: 0, index: -1 }
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 0, ArrowDown: 0 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const row = Math.min(lines.length - 1, Math.max(0, now.row + rowStep(event.key)))
    const length = lines[row]?.cells.length ?? 0
    const index = Math.min(length - 1, Math.max(0, now.index + by))
    if (index < 0) return
    onMove({ row, index })
    event.currentTarget.querySelector<HTMLElement>(`[data-place="${row} ${index}"]`)?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys of the cells inside
    <div className={classes.cells} onKeyDown={move}>
      {Array.from({ length: columns }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is its position
        <div key={index} className={classes.stack}>
          {lines.map((line, row) => {
            const cell = line.cells[index]
            if (cell === undefined) {
              return (
                <span key={line.key} className={`${classes.cell} ${classes.missing}`} aria-hidden="true">
                  <code> </code>
                  <small>·</small>
                </span>
              )
            }
            const chosen = at?.row === row && at.index === index
            const first = at === null && row === 0 && index === 0
            const said = cell.kind === 'action' ? `, ${quantity} ` : kindWords[cell.kind]
            return (
              <button
                key={line.key}
                type="button"
                className={classes.cell}
                style={cell.kind === 'action' ? { background: cellColour((line.scale ?? scale).at(cell.value)) } : {}}
                data-kind={cell.kind}
                data-place={`${row} ${index}`}
                aria-pressed={chosen}
                tabIndex={chosen || first ? 0 : -1}
                onMouseEnter={() => onMove({ row, index })}
                onFocus={() => onMove({ row, index })}
              >
                {/* Named by what it shows, with what a glance takes from its place: both say the same. */}
                <span className="visually-hidden">{`${line.letter === null ? '' : `${line.letter}, `}${cell.place}, `}</span>
                <code>{visibleToken(cell.text)}</code>
                <span className="visually-hidden">{said}</span>
                <small>{cell.kind === 'action' ? cellText(cell.value, kind, (line.scale ?? scale).high) : ' '}</small>
              </button>
            )
          })}
        </div>
      ))}
    </div>
  )
}

const rowStep = (key: string): number => (key === 'ArrowUp' ? -1 : key === 'ArrowDown' ? 1 : 0)
