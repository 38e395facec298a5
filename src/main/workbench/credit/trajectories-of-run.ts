/**
 * Recorded rollouts of a run as trajectories: a prompt turn and a response turn with every number that was recorded.
 * Reads the store; samples nothing and knows no estimator.
 */
import { BadInput } from '../../../shared/bad-input.ts'
import type { RecordedTurn } from '../../../shared/credit.ts'
import { isStudyId } from '../../../shared/ids.ts'
import type { Trajectory } from '../../../shared/trajectory.ts'
import { groupRolloutsOf, type StoredGroupRollout } from '../../store/group-rollouts.ts'
import { rolloutsOf, type StoredRollout } from '../../store/rollouts.ts'
import { findRun, type RunRow, runFor } from '../../store/runs.ts'
import { requireStudy, type Workbench } from '../workbench.ts'

/** A recorded rollout keeps where it stands in its run, what its reward was made of, and what was learned from. */
export interface RecordedTrajectory extends Trajectory {
  readonly turns: readonly RecordedTurn[]
  readonly run_id: string
  readonly iteration: number
  /** SHA-256 of the learned state that sampled it. */
  readonly policy_sha256: string
  readonly task_id?: string
  readonly finish_reason?: 'eos' | 'length'
  readonly reward_parts?: { readonly judge: number; readonly kl?: number; readonly truncation: number }
}

/** The run of this id, or the PPO run of the study of this id. Throws `BadInput` when there is neither. */
function runNamed(bench: Workbench, id: string): RunRow {
  const { db } = bench.store
  const run = isStudyId(id) ? runFor(db, requireStudy(bench, id).studyId, 'ppo', 'main') : findRun(db, id)
  if (run === null) {
    throw new BadInput(id, isStudyId(id) ? 'has not reached PPO' : `is neither a run nor a study in ${bench.home}`)
  }
  return run
}

/**
 * @param runId of a run, or of a study whose PPO run is meant
 * @param iterations first and last, both included; default all
 * @throws BadInput when there is no such run, or it recorded no rollout in that range
 */
export function trajectoriesOfRun(
  bench: Workbench,
  runId: string,
  iterations?: readonly [number, number],
): RecordedTrajectory[] {
  const run = runNamed(bench, runId)
  const { db } = bench.store
  const grouped = groupRolloutsOf(db, run.runId, iterations)
  if (grouped.length > 0) return grouped.map((rollout) => trajectoryOfGroup(run, rollout))
  const rollouts = rolloutsOf(db, run.runId, iterations)
  if (rollouts.length === 0) {
    throw new BadInput(
      runId,
      iterations === undefined
        ? 'recorded no rollout; name a run that samples, such as PPO'
        : `recorded no rollout in iterations ${iterations[0]} to ${iterations[1]}`,
    )
  }
  const sampledTogether = promptsRepeatWithinIteration(rollouts)
  return rollouts.map((rollout) => trajectoryOf(run, rollout, sampledTogether))
}

/** Recorded as a trajectory already, in the groups it was learned in. */
function trajectoryOfGroup(run: RunRow, rollout: StoredGroupRollout): RecordedTrajectory {
  const { trajectory, iteration, policy_sha256, task_id } = rollout
  return { ...trajectory, run_id: run.runId, iteration, policy_sha256, task_id }
}

/**
 * A group is what is compared with each other. Where a run samples a prompt several times an iteration, those are a
 * group; where it samples each once, the same prompt's rollouts of all iterations in the range are, although different
 * policies sampled them.
 */
function promptsRepeatWithinIteration(rollouts: readonly StoredRollout[]): boolean {
  const seen = new Set<string>()
  for (const { iteration, prompt_id } of rollouts) {
    const key = `${iteration} ${prompt_id}`
    if (seen.has(key)) return true
    seen.add(key)
  }
  return false
}

function trajectoryOf(run: RunRow, rollout: StoredRollout, sampledTogether: boolean): RecordedTrajectory {
  const { prompt_id, iteration, reward_parts } = rollout
  const truncated = rollout.finish_reason === 'length'
  return {
    id: rollout.rollout_id,
    group: sampledTogether ? `iteration-${iteration}/${prompt_id}` : prompt_id,
    // What the whole response was given at its end; the KL term belongs to its tokens.
    reward: reward_parts.judge + reward_parts.truncation,
    terminated: !truncated,
    truncated,
    // The run's learner reads no value past a cut: it counts as an end there.
    ...(truncated ? { bootstrap_value: 0 } : {}),
    run_id: run.runId,
    iteration,
    policy_sha256: rollout.policy_sha256,
    finish_reason: rollout.finish_reason,
    reward_parts,
    turns: [
      { role: 'user', token_ids: rollout.prompt_ids },
      {
        role: 'assistant',
        text: rollout.text,
        token_ids: rollout.response_ids,
        logprobs: rollout.old_token_logprobs,
        ref_logprobs: rollout.reference_token_logprobs,
        values: rollout.values,
        rewards: rollout.token_rewards,
        advantages: rollout.advantages,
        returns: rollout.returns,
      },
    ],
  }
}
