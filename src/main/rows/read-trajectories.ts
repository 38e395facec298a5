/** Reads a trajectory file: order kept, ids unique, faults named by row and line. */
import type { Trajectory } from '../../shared/trajectory.ts'
import { eachRow, type PlacedRow, readRows } from './read-rows.ts'
import { trajectorySchema } from './trajectory-schema.ts'

export type PlacedTrajectory = PlacedRow<Trajectory>

/** Throws BadInput for a file that cannot be read, holds no row, or has a row that is no trajectory. */
export function readTrajectories(file: string): Promise<PlacedTrajectory[]> {
  return readRows(file, trajectorySchema)
}

/** One trajectory at a time. Throws as `readTrajectories`. */
export function eachTrajectory(file: string): AsyncGenerator<PlacedTrajectory> {
  return eachRow(file, trajectorySchema)
}
