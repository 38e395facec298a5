/** A comparison of methods as tables and as lines of cells. Computes no credit. */
import { estimatorName } from '../../../main/report/estimator-name.ts'
import { decimal, percent, significant } from '../../../main/report/number-text.ts'
import { type Cell, measured, precise, shared, type Table } from '../../../main/report/section.ts'
import type { TrajectoryView } from '../../../shared/credit.ts'
import type { ComparedPair, CreditComparison } from '../../../shared/credit-estimates.ts'
import { scaleOf } from '../../tokens/colour-scale.ts'
import type { GridLine } from '../../tokens/TokenGrid.tsx'
import { cellsOf, placeWords } from '../tokens/token-lines.ts'
import { turnTexts } from '../tokens/turn-texts.ts'

export type PairFigure = 'rank_correlation' | 'sign_agreement'

/** Methods by methods; null on the diagonal and where a method gives every token the same. */
export function matrixOf({ methods, pairs }: CreditComparison, figure: PairFigure): (number | null)[][] {
  const byPair = new Map(pairs.flatMap((pair) => [[key(pair.a, pair.b), pair] as const, [key(pair.b, pair.a), pair]]))
  return methods.map((row) => methods.map((column) => byPair.get(key(row.label, column.label))?.[figure] ?? null))
}

const key = (a: string, b: string) => JSON.stringify([a, b])

export const figureWords: Readonly<Record<PairFigure, { readonly title: string; readonly caption: string }>> = {
  rank_correlation: {
    title: 'Rank correlation',
    caption:
      'Spearman over all tokens, ties at their mean rank; 1: the same order. A dash: a method gives every token the same.',
  },
  sign_agreement: {
    title: 'Sign agreement',
    caption: 'Share of tokens that both methods reinforce, both discourage, or both leave alone.',
  },
}

export const figureText = (value: number | null, figure: PairFigure): string =>
  figure === 'rank_correlation' ? decimal(value, 2) : percent(value, 0)

export function matrixTable(comparison: CreditComparison, figure: PairFigure): Table {
  const labels = comparison.methods.map(estimatorName)
  const rows = matrixOf(comparison, figure)
  const cell = (value: number | null): Cell => (figure === 'rank_correlation' ? measured(value) : shared(value))
  return {
    caption: figureWords[figure].title,
    columns: [{ label: 'Method' }, ...labels.map((label) => ({ label, numeric: true }))],
    rows: labels.map((label, at) => ({ cells: [label, ...(rows[at] ?? []).map(cell)] })),
  }
}

export function spreadTable({ methods }: CreditComparison): Table {
  const scales = ['token', 'turn', 'episode'] as const
  return {
    caption: 'Advantages by method',
    columns: [
      { label: 'Method' },
      ...scales.flatMap((scale) => [
        { label: `mean a ${scale}`, numeric: true },
        { label: `std a ${scale}`, numeric: true },
      ]),
    ],
    rows: methods.map(({ label, parameters, summary }) => ({
      cells: [
        estimatorName({ label, parameters }),
        ...scales.flatMap((scale) => [precise(summary[scale].mean), precise(summary[scale].std)]),
      ],
    })),
  }
}

/** @param nameOf as the methods are shown */
export function differencesTable(
  { a: one, b: other, differ_most: gaps }: ComparedPair,
  texts: TokenText,
  nameOf = (label: string) => label,
): Table {
  const [a, b] = [nameOf(one), nameOf(other)]
  return {
    caption: `Where ${a} and ${b} differ most`,
    columns: [
      { label: 'Rollout' },
      { label: 'Place' },
      { label: 'Token' },
      { label: a, numeric: true },
      { label: b, numeric: true },
      { label: `rank in ${a}`, numeric: true },
      { label: `rank in ${b}`, numeric: true },
    ],
    rows: gaps.map(({ id, turn, index, advantages, ranks }) => ({
      cells: [
        id,
        placeWords(turn, index),
        texts(id, turn, index),
        precise(advantages[0]),
        precise(advantages[1]),
        shared(ranks[0]),
        shared(ranks[1]),
      ],
    })),
  }
}

export type TokenText = (id: string, turn: number, index: number) => string

export function tokenText(views: readonly TrajectoryView[]): TokenText {
  const byId = new Map(views.map((view) => [view.trajectory.id, { view, turns: turnTexts(view) }]))
  return (id, turn, index) => {
    const known = byId.get(id)
    const text = known?.view.token_texts[turn]?.[index] ?? ''
    const whole = known?.turns.find((one) => one.turn === turn)?.text
    return whole === undefined ? text : `${text} in “${whole.length > 60 ? `${whole.slice(0, 59)}…` : whole}”`
  }
}

/** One line a method, token over token; each method has a scale of its own, since their units differ. */
export function methodLines(comparison: CreditComparison, view: TrajectoryView): GridLine[] {
  return comparison.methods.map(({ label }) => {
    const values = new Map<string, number>()
    const all: number[] = []
    for (const { id, turn, index, advantages } of comparison.advantages) {
      const value = advantages[label]
      if (value === undefined) continue
      all.push(value)
      if (id === view.trajectory.id) values.set(`${turn} ${index}`, value)
    }
    const value = (_: string, turn: number, index: number) => values.get(`${turn} ${index}`) ?? Number.NaN
    return { key: label, letter: label, cells: cellsOf(view, value, { context: false }), scale: scaleOf('signed', all) }
  })
}

/** The pair that agrees least by rank, to begin with. */
export function leastAlike({ pairs }: CreditComparison): ComparedPair | null {
  const known = pairs.filter((pair) => pair.rank_correlation !== null)
  return known.toSorted((a, b) => (a.rank_correlation ?? 1) - (b.rank_correlation ?? 1))[0] ?? pairs[0] ?? null
}

export const rangeText = (comparison: CreditComparison, label: string): string => {
  const values = comparison.advantages.flatMap(({ advantages }) => advantages[label] ?? [])
  if (values.length === 0) return ''
  return `${significant(Math.min(...values))} to ${significant(Math.max(...values))}`
}
