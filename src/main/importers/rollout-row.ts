/** What every reader of another trainer's rollouts hands over: trajectory rows as they are written, and remarks on them. */
import type { TurnRole } from '../../shared/trajectory.ts'

/** A turn as it goes into the file. What its trainer knew beyond our fields is kept under the trainer's own names. */
export interface ImportedTurn {
  readonly role: TurnRole
  readonly text?: string
  readonly token_ids?: readonly number[]
  readonly [field: string]: unknown
}

export interface ImportedRow {
  readonly id: string
  readonly group: string
  readonly reward: number | null
  readonly terminated: boolean
  readonly truncated: boolean
  readonly turns: readonly ImportedTurn[]
  readonly [field: string]: unknown
}

/** A comparison of what was recovered with what the dump itself says. */
export interface ImportCheck {
  readonly name: string
  readonly recorded: number | null
  readonly found: number
  readonly difference: number
  readonly agrees: boolean
}

export interface RolloutSource {
  /** Files and folders that are read; nothing may be written over or into them. */
  readonly inputs: readonly string[]
  /** In the order of the dump. Throws `BadInput` at the first row that does not hold. */
  rows(): AsyncGenerator<ImportedRow> | Generator<ImportedRow>
  /** What was learned on the way; complete only when the rows are through. */
  summary(): SourceSummary
}

export interface SourceSummary {
  /** Fields of the dump that were found filled, by the dump's names. */
  readonly found: readonly string[]
  /** Fields that such a dump may hold, or a trajectory may, and this one does not. */
  readonly absent: readonly string[]
  /** One sentence each. */
  readonly notes: readonly string[]
  readonly checks: readonly ImportCheck[]
}
