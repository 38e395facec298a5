/**
 * How rewards become credit: what a method is told of the rollouts just sampled, and what it says of their tokens. The loop
 * that samples, steps and records is `group-loop.ts`'s; it knows no method by name.
 */
import type { Trajectory } from '../../../shared/trajectory.ts'
import type { TrainedRow } from '../credit/trained-row.ts'
import type { BatchShape } from '../nn/batch.ts'
import type { Learner } from './learner.ts'
import type { Role } from './role.ts'
import type { RunIdentity, RunState } from './run-record.ts'

/** A rollout with a reward. */
export interface SampledRollout {
  /** The very object the source returned: what was read of it while it was judged is found by it. */
  readonly sampled: Trajectory
  /** Named by its place in the run; its group is that of its task's rollouts in this iteration. */
  readonly trajectory: Trajectory & { readonly reward: number }
  readonly row: TrainedRow
  /** Log-probabilities of the completion tokens at sampling and under the frozen reference; observations hold 0. */
  readonly old: readonly number[]
  readonly reference: readonly number[]
}

/** Lists run over the rollout's action tokens. */
export interface Credit {
  /** Of the whole rollout, before it is shared among tokens. */
  readonly advantage: number
  readonly advantages: readonly number[]
  readonly weights?: readonly number[]
  /** What a critic is taught. */
  readonly returns?: readonly number[]
  /** V of the prefix before each token, where a critic was read. */
  readonly values?: readonly number[]
  /** Gates of Comp-GAE. */
  readonly retention?: readonly number[]
  readonly facts?: Readonly<Record<string, number>>
}

export interface AdvantageStrategy {
  readonly name: string
  /** Settings and hashes of what it holds frozen: equal for a run and its continuation. */
  readonly identity: RunIdentity
  /** Once an iteration, before any update: one `Credit` a rollout, in their order. */
  credit(rollouts: readonly SampledRollout[], policy: Role, shape: BatchShape): Promise<readonly Credit[]>
  /** A value model that learns beside the policy. */
  readonly critic?: Critic
  /** What it must remember between iterations (a generator); restored before the first iteration of a resumed run. */
  tensors?(): RunState<unknown>['tensors']
  restore?(tensors: RunState<unknown>['tensors']): void
}

/** Its gradient and the policy's are both of the state before the update; neither sees the other's step. */
export interface Critic {
  readonly learner: Learner
  /** At the first update; the run's schedule is applied to it. */
  readonly learningRate: number
  /** Clears the learner and leaves in it the gradient of its loss. @returns the loss */
  gradient(rollouts: readonly SampledRollout[], credits: readonly Credit[], shape: BatchShape): Promise<number>
  /** What is saved of it, where its own role is no adapter by itself. */
  saved?(policy: Role): Role
}
