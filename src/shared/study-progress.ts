/** How far a job is, as every front end shows it. Nothing here is a guess: what is not known is null. */
import type { StageName } from './study-document.ts'

export interface StudyProgress {
  /** Null for a stage on the user's own rows. */
  readonly study_id: string | null
  readonly run_id: string | null
  readonly stage: StageName | 'train' | 'credit'
  /** What the stage is doing, in words: `training`, `validation`, `rollout`, `hashing`. */
  readonly phase: string
  readonly done: number
  readonly total: number
  /** 0..1 of this stage; 1 only when it is finished. */
  readonly value: number
  /** Units a second, from this session's work only; null until two units are done. */
  readonly rate: number | null
  /** Null when the rate is not known. Suspended time is not counted. */
  readonly seconds_left: number | null
  readonly state: 'running' | 'paused' | 'stopping'
  /** Set when the machine slept since the last message: how long, in seconds. */
  readonly suspended_seconds: number
  /** Last committed figures of the stage: loss, learning rate, mean reward. */
  readonly metrics: Readonly<Record<string, number>>
}

export type OnProgress = (progress: StudyProgress) => void
