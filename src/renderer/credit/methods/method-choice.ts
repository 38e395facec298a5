/** Which methods a source can feed, and which are shown first. */
import type { MethodFacts, TrajectoryList } from '../../../shared/credit.ts'

export interface AbsentField {
  readonly name: string
  readonly rows: number
}

/** Fields that the method reads and that not every rollout has. */
export function absentFields({ fields: needed }: MethodFacts, { rows, fields }: TrajectoryList): AbsentField[] {
  return needed.flatMap((name) => {
    const found = fields.find((field) => field.name === name)?.rows ?? 0
    return found < rows.length ? [{ name, rows: found }] : []
  })
}

/** The best known methods that need nothing more: so many that they are read at a glance. */
const familiar = ['gae', 'reward-to-go', 'monte-carlo', 'gae-turn', 'gigpo']
const mostAtFirst = 3

export function firstMethods(known: readonly MethodFacts[], list: TrajectoryList): string[] {
  const fed = known.filter((method) => absentFields(method, list).length === 0).map(({ name }) => name)
  return familiar.filter((name) => fed.includes(name)).slice(0, mostAtFirst)
}
