/** The tokens in view as records: one row a token, one column a quantity. */
import { significant } from '../../../main/report/number-text.ts'
import type { TrajectoryView } from '../../../shared/credit.ts'
import type { Exportable } from '../../charts/index.ts'
import type { TokenQuantity } from './quantities.ts'
import { cellsOf } from './token-lines.ts'

export function exportableTokens(
  views: readonly TrajectoryView[],
  quantities: readonly TokenQuantity[],
  study: string | undefined,
): Exportable {
  const head = ['rollout', 'turn', 'index', 'id', 'text', ...quantities.map(({ label }) => label)]
  const rows = () =>
    views.flatMap((view) =>
      cellsOf(view, () => Number.NaN, { context: false }).map(({ turn, index, id, text }) => [
        view.trajectory.id,
        turn,
        index,
        id,
        text,
        ...quantities.map(({ value }) => {
          const number = value(view.trajectory.id, turn, index)
          return Number.isFinite(number) ? number : null
        }),
      ]),
    )
  const caption = `Credit of the tokens of ${views.length === 1 ? (views[0]?.trajectory.id ?? '') : `${views.length} rollouts`}`
  return {
    name: 'credit-tokens',
    title: 'Credit token by token',
    caption,
    drawing: null,
    ...(study === undefined ? {} : { report: { study } }),
    records: () => ({ head, rows: rows() }),
    table: () => ({
      caption,
      columns: head.map((label, at) => ({ label, numeric: at !== 0 && at !== 4 })),
      rows: rows().map((row) => ({
        cells: row.map((cell) =>
          cell === null
            ? '—'
            : typeof cell === 'string'
              ? cell
              : Number.isInteger(cell)
                ? String(cell)
                : significant(cell),
        ),
      })),
    }),
  }
}
