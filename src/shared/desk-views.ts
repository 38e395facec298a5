/** The desk's own shapes, as whoever shows them needs them; what they mean is said where the desk makes them. */
export type { DeskEnd } from '../main/engine/desk/environment.ts'
export type { DeskTrajectory, DeskTurn } from '../main/engine/desk/episode.ts'
export type { DeskSummary } from '../main/engine/desk/summary.ts'
export type { DeskTask } from '../main/engine/desk/tasks.ts'
