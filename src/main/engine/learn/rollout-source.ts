/**
 * Where the rollouts to learn from come from: single-turn prompts with a judge, or an environment of several turns. A
 * source samples and judges; it neither learns nor says how a reward becomes credit.
 */
import type { Trajectory } from '../../../shared/trajectory.ts'
import type { Role } from './role.ts'
import type { RunIdentity } from './run-record.ts'

/** What one group of rollouts starts from. A source adds what it needs to its own tasks. */
export interface RolloutTask {
  readonly id: string
}

export interface RolloutSource<Task extends RolloutTask = RolloutTask> {
  /** Every task the run may draw, in the order of the file they come from. */
  readonly tasks: readonly Task[]
  /**
   * Upper bounds in tokens, over all tasks: what stands before the first action, and from it to the last action with the
   * observations between. Graphs are compiled for these.
   */
  readonly longest: { readonly prompt: number; readonly completion: number }
  /** What must be the same for a resumed run: hashes of data and frozen judges, limits, rules of the environment. */
  readonly identity: RunIdentity

  /**
   * Samples `groupSize` rollouts of each task at temperature 1.
   *
   * The result has tasks.length · groupSize rollouts, group by group in the order of `tasks` (the same task may come
   * twice; its places are then two groups). `logprobs` of every assistant turn are those recorded at sampling, and every
   * turn has `token_ids`. `reward` null says that the environment failed or the grader abstained: such a rollout is kept
   * in the record, learned from by nobody and counted in no mean. A cut rollout is `truncated`. `id` and `group` need to
   * be unique within the call only; the trainer names rollouts by their place in the run.
   *
   * All randomness comes from `uniform` (numbers in [0, 1)), in an order that depends on nothing but the arguments: its
   * generator is saved and restored by the trainer, and a resumed run must sample the same rollouts bit for bit.
   */
  collect(
    policy: Role,
    tasks: readonly Task[],
    groupSize: number,
    uniform: () => number,
  ): Promise<readonly Trajectory[]>
}
