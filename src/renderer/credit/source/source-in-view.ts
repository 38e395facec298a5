/** Which rollouts the screen is about: those of the address, else the newest run's last iteration, else the newest file. */
import type { CreditSources, TrajectoryListing } from '../../../shared/credit.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'

export function sourceInView({ runs, files }: CreditSources, asked: CreditSource | null): CreditSource | null {
  if (asked !== null) return asked
  const [run] = runs
  if (run !== undefined) return lastIteration(run)
  const [file] = files
  return file === undefined ? null : { kind: 'file', sha256: file.sha256 }
}

/** One iteration is one batch as the optimizer saw it: the last whose gradient was recorded, else the last. */
function lastIteration({ run_id, audited_iterations, last_iteration }: CreditSources['runs'][number]): CreditSource {
  const iteration = audited_iterations.at(-1) ?? last_iteration
  return { kind: 'run', run_id, iterations: [iteration, iteration] }
}

/** The value of a choice, and back. */
export const sourceKey = (source: CreditSource): string =>
  source.kind === 'run' ? `run ${source.run_id}` : `file ${source.sha256}`

export function sourceOfKey(sources: CreditSources, key: string): CreditSource | null {
  const run = sources.runs.find((one) => sourceKey({ kind: 'run', run_id: one.run_id }) === key)
  if (run !== undefined) return lastIteration(run)
  const file = sources.files.find((one) => sourceKey({ kind: 'file', sha256: one.sha256 }) === key)
  return file === undefined ? null : { kind: 'file', sha256: file.sha256 }
}

export interface RolloutFigures {
  readonly rollouts: number
  readonly groups: number
  readonly actions: number
  /** Over rollouts with a grade; null where there is none. */
  readonly meanReward: number | null
  readonly abstained: number
  readonly truncated: number
}

export function figuresOf(rows: readonly TrajectoryListing[]): RolloutFigures {
  const graded = rows.flatMap(({ reward }) => (reward === null ? [] : [reward]))
  return {
    rollouts: rows.length,
    groups: new Set(rows.map(({ group }) => group)).size,
    actions: rows.reduce((sum, row) => sum + row.actions, 0),
    meanReward: graded.length === 0 ? null : graded.reduce((sum, reward) => sum + reward, 0) / graded.length,
    abstained: rows.length - graded.length,
    truncated: rows.filter(({ truncated }) => truncated).length,
  }
}

/** The rollouts that the address names, all where it names none; ids that are not there are passed over. */
export function chosenOf(rows: readonly TrajectoryListing[], ids: readonly string[]): readonly TrajectoryListing[] {
  if (ids.length === 0) return rows
  const wanted = new Set(ids)
  return rows.filter(({ id }) => wanted.has(id))
}
