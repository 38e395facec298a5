/** Verifier confidence against correctness: the quadrant of rollouts that score high and are wrong, by name. */
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { absenceOf } from '../estimators/estimate.ts'
import { type Check, first } from './check.ts'

const confident = 0.5
/** Named in the result. */
const listed = 50

/** By `success`; where no row has it and all outcomes are 0 or 1, by the outcome. */
function correctnessOf(rows: readonly Trajectory[]): ((row: Trajectory) => boolean | undefined) | null {
  if (rows.some(({ success }) => success != null)) return ({ success }) => success ?? undefined
  return rows.length > 0 && rows.every(({ reward }) => reward === 0 || reward === 1)
    ? ({ reward }) => reward === 1
    : null
}

export const confidentWrong: Check = ({ trajectories }) => {
  const id = 'confident-wrong'
  const rows = trajectories.filter((row) => absenceOf(row) === null)
  const correct = correctnessOf(rows)
  const judged = rows.flatMap((row) => {
    const right = correct?.(row)
    const confidence = row.verifier_confidence
    return right === undefined || confidence === undefined ? [] : [{ id: row.id, right, confidence }]
  })
  if (correct === null || judged.length === 0) {
    const detail =
      correct === null
        ? 'no graded row has success, and not every outcome is 0 or 1 so that it could stand for it'
        : 'no graded row has verifier_confidence beside its success'
    return { id, status: 'skipped', figure: null, detail }
  }
  const quadrant = (high: boolean, right: boolean) =>
    judged.filter((row) => row.confidence >= confident === high && row.right === right)
  const wrong = quadrant(true, false).sort((a, b) => b.confidence - a.confidence)
  const data = {
    threshold: confident,
    confident_right: quadrant(true, true).length,
    confident_wrong: wrong.length,
    doubtful_right: quadrant(false, true).length,
    doubtful_wrong: quadrant(false, false).length,
    rows_without: rows.length - judged.length,
    confident_and_wrong: wrong.slice(0, listed).map(({ id: row, confidence }) => ({ id: row, confidence })),
  }
  const counts = `confident (from ${confident} on) and right ${data.confident_right}, confident and wrong ${wrong.length}, doubtful and right ${data.doubtful_right}, doubtful and wrong ${data.doubtful_wrong}`
  if (wrong.length === 0) return { id, status: 'ok', figure: 0, detail: counts, data }
  const names = wrong.map((row) => row.id)
  return { id, status: 'warning', figure: wrong.length, detail: `${counts}; read ${first(names)}`, data }
}
