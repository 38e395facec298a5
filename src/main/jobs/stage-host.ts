/** The interface to a stage process, whatever starts it: Node's fork here, Electron's utility process elsewhere. */
import type { StageEvent, StageJob, StageSummary } from '../../shared/stage.ts'

/** How a stage process ended. Only `finished` left complete results; after the others the last commit stands. */
export type StageEnd =
  | { readonly kind: 'finished'; readonly summary: StageSummary }
  | {
      readonly kind: 'interrupted'
      readonly summary: StageSummary | null
      readonly reason: string
      /** The stage could not write any more; it goes on once there is room. */
      readonly fullDisk?: true
    }
  | { readonly kind: 'bad-input'; readonly subject: string; readonly problem: string; readonly where?: string }
  | { readonly kind: 'failed'; readonly cause: FailureCause; readonly message: string }

/** Told apart because each has another remedy: less memory, another device, a bug report. */
export type FailureCause = 'failure' | 'out-of-memory' | 'unsupported' | 'crash'

export interface StageHost {
  /** Starts the process and resolves when it is gone. At most once; throws when started again. */
  start(job: StageJob): Promise<StageEnd>
  /** Ask to stop at the next atomic update; `start` then resolves as interrupted. */
  stop(): void
  pause(): void
  resume(): void
  /** End it now. What was committed stays. */
  kill(): void
  /** Null before the start and after the end. */
  readonly pid: number | null
  /** Returns the function that takes the listener off again. */
  onEvent(listener: (event: StageEvent) => void): () => void
  /** What the process writes to its standard error, in pieces as it comes. Returns as `onEvent`. */
  onStderr(listener: (text: string) => void): () => void
}
