/** The rows of a lattice: one rollout; two rollouts; or one rollout as two updates saw it. */
import type { RolloutView } from '../../shared/ipc.ts'
import { type Quantity, quantityOf, type TokenNumbers, tokenNumbers } from './token-numbers.ts'

export interface LatticeRow {
  readonly letter: 'A' | 'B'
  readonly name: string
  readonly view: RolloutView
  readonly tokens: readonly TokenNumbers[]
  /** Which update's ratio. */
  readonly update: number | null
}

export interface Beside {
  readonly view: RolloutView | null
  readonly update: number | null
}

export function latticeRows(view: RolloutView, update: number | null, beside: Beside | null): LatticeRow[] {
  const row = (letter: 'A' | 'B', of: RolloutView, at: number | null, withUpdate: boolean): LatticeRow => ({
    letter,
    name: withUpdate ? `${of.rollout.rollout_id}, update ${at}` : of.rollout.rollout_id,
    view: of,
    tokens: tokenNumbers(of),
    update: at,
  })
  if (beside === null) return [row('A', view, update, false)]
  if (beside.view === null) return [row('A', view, update, true), row('B', view, beside.update, true)]
  return [row('A', view, update, false), row('B', beside.view, beside.view.observations.at(-1)?.update ?? null, false)]
}

export function valuesOf(rows: readonly LatticeRow[], quantity: Quantity): number[] {
  return rows.flatMap((row) => row.tokens.map((token) => quantityOf(token, quantity, row.update)))
}
