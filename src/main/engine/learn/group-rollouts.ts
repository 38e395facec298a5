/** One iteration's rollouts: sampled, named by their place in the run, read under the reference, and later recorded. */
import type { RecordedTurn } from '../../../shared/credit.ts'
import type { GroupIterationLine, GroupRollout } from '../../../shared/group-run.ts'
import type { Trajectory } from '../../../shared/trajectory.ts'
import { ofActions, overCompletion, type TrainedRow, trainedRow } from '../credit/trained-row.ts'
import type { BatchShape } from '../nn/batch.ts'
import type { Credit, SampledRollout } from './advantage-strategy.ts'
import { groupShape } from './group-shape.ts'
import { sampledLogRatio } from './ppo-math.ts'
import { tokenLogProbs } from './reading.ts'
import type { Role } from './role.ts'
import type { RolloutSource, RolloutTask } from './rollout-source.ts'
import type { StageContext } from './stage-context.ts'
import type { PhaseClock } from './stage-run.ts'

export interface GroupRequest<Task extends RolloutTask> {
  readonly context: StageContext
  readonly source: RolloutSource<Task>
  readonly clock: PhaseClock
  readonly policy: Role
  readonly reference: Role
  readonly tasks: readonly Task[]
  readonly groupSize: number
  readonly uniform: () => number
  readonly iteration: number
}

export interface Sampled {
  /** Every rollout of the iteration, without its numbers where it has no reward. */
  readonly all: readonly { readonly taskId: string; readonly trajectory: Trajectory }[]
  /** Those with a reward, in the same order. */
  readonly rollouts: readonly SampledRollout[]
  readonly shape: BatchShape
}

/** @throws Error where no rollout has a reward: there is nothing to learn from */
export async function sampleGroups<Task extends RolloutTask>(request: GroupRequest<Task>): Promise<Sampled> {
  const { context, source, clock, policy, reference, tasks, groupSize, uniform, iteration } = request
  const collected = await source.collect(policy, tasks, groupSize, uniform)
  if (collected.length !== tasks.length * groupSize)
    throw new Error(`${collected.length} rollouts were sampled instead of ${tasks.length * groupSize}`)
  const all = collected.map((sampled, i) => {
    const slot = Math.floor(i / groupSize)
    const group = `iteration-${String(iteration).padStart(3, '0')}-slot-${slot}`
    const id = `${group}-${i % groupSize}`
    return { taskId: tasks[slot]!.id, sampled, trajectory: { ...sampled, id, group } }
  })
  const graded = all.flatMap(({ sampled, trajectory }) => {
    const { reward } = trajectory
    if (reward === null) return []
    const row = trainedRow(trajectory, 'sampled rollouts')
    return [{ sampled, trajectory: { ...trajectory, reward }, row, old: behaviour(trajectory, row) }]
  })
  if (graded.length === 0)
    throw new Error(`iteration ${iteration}: no rollout has a reward, so there is nothing to learn from`)
  const rows = graded.map(({ row }) => row)
  const shape = groupShape(context, rows, source.longest)
  const frozen = await clock.time('reference', () => tokenLogProbs(context.model, reference, rows, shape))
  return { all, rollouts: graded.map((rollout, i) => ({ ...rollout, reference: frozen[i]! })), shape }
}

/** Log-probabilities at sampling, over the completion. */
function behaviour({ id, turns }: Trajectory, row: TrainedRow): number[] {
  return overCompletion(
    row,
    turns.flatMap(({ role, token_ids = [], logprobs }, k) => {
      if (role !== 'assistant') return []
      if (logprobs === undefined && token_ids.length > 0)
        throw new Error(`${id}: turns[${k}] was sampled without its log-probabilities`)
      return logprobs ?? []
    }),
  )
}

/** What the journal keeps: each turn with the numbers that were learned from beside its tokens. */
export function groupRollouts(
  { tokenizer }: StageContext,
  { all, rollouts }: Sampled,
  credits: readonly Credit[],
): GroupRollout[] {
  const places = new Map(rollouts.map(({ trajectory }, i) => [trajectory.id, i]))
  return all.map(({ taskId, trajectory }): GroupRollout => {
    const sampledIds = trajectory.turns.flatMap(({ role, token_ids = [] }) => (role === 'assistant' ? token_ids : []))
    const common = { task_id: taskId, tokenization_valid: sampledIds.every((id) => tokenizer.isDecodable(id)) }
    const at = places.get(trajectory.id)
    if (at === undefined) return { ...common, trajectory, advantage: null, sampled_policy_reference_logratio: null }
    const { row, old, reference } = rollouts[at]!
    const { advantage, facts, ...perAction } = credits[at]!
    const frozen = ofActions(row, reference)
    return {
      ...common,
      trajectory: { ...trajectory, turns: recordedTurns(trajectory, { ref_logprobs: frozen, ...perAction }) },
      advantage,
      sampled_policy_reference_logratio: sampledLogRatio(ofActions(row, old), frozen),
      ...(facts !== undefined && { facts }),
    }
  })
}

/** Lists over the action tokens, cut at the assistant turns. */
function recordedTurns(
  { turns }: Trajectory,
  lists: Readonly<Record<string, readonly number[] | undefined>>,
): RecordedTurn[] {
  let from = 0
  return turns.map((turn) => {
    if (turn.role !== 'assistant' || turn.token_ids === undefined) return turn
    const [start, end] = [from, from + turn.token_ids.length]
    from = end
    const own = Object.entries(lists).flatMap(([name, list]) =>
      list === undefined ? [] : [[name, list.slice(start, end)]],
    )
    return { ...turn, ...Object.fromEntries(own) }
  })
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** What a progress display shows of an iteration. */
export function meansOf({ rollouts, updates }: GroupIterationLine): Record<string, number> {
  const graded = rollouts.flatMap(({ trajectory, sampled_policy_reference_logratio: ratio }) =>
    trajectory.reward === null || ratio === null ? [] : [{ trajectory, reward: trajectory.reward, ratio }],
  )
  const last = updates.at(-1)!
  const actions = ({ turns }: Trajectory) =>
    turns.reduce((sum, { role, token_ids = [] }) => sum + (role === 'assistant' ? token_ids.length : 0), 0)
  return {
    reward: mean(graded.map(({ reward }) => reward)),
    sampled_logratio: mean(graded.map(({ ratio }) => ratio)),
    action_tokens: mean(graded.map(({ trajectory }) => actions(trajectory))),
    truncated: graded.filter(({ trajectory }) => trajectory.truncated).length,
    left_out: rollouts.length - graded.length,
    loss: last.loss,
    grad_norm: last.grad_norm,
    clip_fraction: last.clip_fraction,
    reference_divergence: last.reference_divergence,
  }
}
