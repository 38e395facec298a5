/** The response tokens of recorded rollouts as cells, coloured by one of their recorded numbers. */
import { useMemo } from 'react'
import { type ColourScale, kindOf } from './colour-scale.ts'
import type { LatticeRow } from './lattice-rows.ts'
import { type GridLine, type Place, TokenGrid } from './TokenGrid.tsx'
import { type Quantity, quantityOf } from './token-numbers.ts'

interface Props {
  readonly rows: readonly LatticeRow[]
  readonly quantity: Quantity
  readonly scale: ColourScale
  readonly at: Place | null
  readonly onMove: (place: Place) => void
}

export function LatticeGrid({ rows, quantity, scale, at, onMove }: Props) {
  const lines = useMemo(
    () =>
      rows.map(
        (row): GridLine => ({
          key: row.letter,
          letter: rows.length > 1 ? row.letter : null,
          cells: row.tokens.map((token) => ({
            text: token.text,
            value: quantityOf(token, quantity, row.update),
            kind: 'action',
            place: `token ${token.index}`,
          })),
        }),
      ),
    [rows, quantity],
  )
  return <TokenGrid lines={lines} quantity={quantity} kind={kindOf(quantity)} scale={scale} at={at} onMove={onMove} />
}
