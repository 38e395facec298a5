/** Which fields trajectories have: the recorded lists and names that estimators read. */
import { type Trajectory, tokenFields } from '../../../shared/trajectory.ts'

/** Of the actions of a rollout. */
const actionFields = ['token_ids', ...tokenFields, 'advantages', 'state_key', 'segment', 'option'] as const
/** Of the whole rollout. */
const rowFields = ['base_score', 'greedy_reward', 'final_state_key'] as const

/** Found where any action of any row has it. */
export function fieldsOf(rows: readonly Trajectory[]): { fields_found: string[]; fields_absent: string[] } {
  const has = (name: string) =>
    rows.some((row) => row.turns.some((turn) => turn.role === 'assistant' && Object.hasOwn(turn, name)))
  return {
    fields_found: actionFields.filter(has),
    fields_absent: actionFields.filter((name) => !has(name)),
  }
}

/** In how many rows every action has the field, or the row itself has it. */
export function fieldCounts(rows: readonly Trajectory[]): { name: string; rows: number }[] {
  const every = (name: string) => (row: Trajectory) =>
    row.turns.every((turn) => turn.role !== 'assistant' || Object.hasOwn(turn, name))
  return [
    ...actionFields.map((name) => ({ name, rows: rows.filter(every(name)).length })),
    ...rowFields.map((name) => ({ name, rows: rows.filter((row) => row[name] !== undefined).length })),
  ]
}
