/** Table `group_rollouts`: every rollout of runs that learn from groups, whole, with the credit it was learned with. */
import type { GroupRollout } from '../../shared/group-run.ts'
import type { RunId } from '../../shared/ids.ts'
import type { GroupIterationPoint } from '../../shared/run-points.ts'
import type { RubricVerdict } from '../../shared/study-results.ts'
import type { Trajectory } from '../../shared/trajectory.ts'
import { judgeRollout } from '../engine/study/judge-rollout.ts'
import { assertFinite, decodeJson, encodeJson } from './json.ts'
import type { Db } from './open-store.ts'

export interface StoredGroupRollout extends GroupRollout {
  readonly iteration: number
  readonly policy_sha256: string
}

interface Columns {
  readonly iteration: number
  readonly policy_sha256: string
  readonly content: string
}

/** Throws naming the number that is not finite. */
export function insertGroupRollout(
  db: Db,
  runId: RunId,
  place: { readonly iteration: number; readonly position: number; readonly policySha256: string },
  rollout: GroupRollout,
): void {
  const { id, group, reward } = rollout.trajectory
  assertFinite(rollout, `rollout ${id}`)
  db.prepare(
    `INSERT INTO group_rollouts
       (run_id, iteration, position, rollout_id, group_id, task_id, policy_sha256, reward, content)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    runId,
    place.iteration,
    place.position,
    id,
    group,
    rollout.task_id,
    place.policySha256,
    reward,
    encodeJson(rollout),
  )
}

/** In the order they were sampled; `iterations` narrows to a range, both ends included. */
export function groupRolloutsOf(db: Db, runId: RunId, iterations?: readonly [number, number]): StoredGroupRollout[] {
  const [first, last] = iterations ?? [0, Number.MAX_SAFE_INTEGER]
  const found = db
    .prepare(
      `SELECT iteration, policy_sha256, content FROM group_rollouts
       WHERE run_id = ? AND iteration BETWEEN ? AND ? ORDER BY iteration, position`,
    )
    .all(runId, first, last) as Columns[]
  return found.map(({ iteration, policy_sha256, content }) => ({
    ...decodeJson<GroupRollout>(content),
    iteration,
    policy_sha256,
  }))
}

/** One point an iteration: means over its rollouts with a reward; token figures are rollout means first, as the losses are. */
export function groupIterationsOf(db: Db, runId: RunId): GroupIterationPoint[] {
  const byIteration = new Map<number, StoredGroupRollout[]>()
  for (const rollout of groupRolloutsOf(db, runId)) {
    const others = byIteration.get(rollout.iteration)
    if (others === undefined) byIteration.set(rollout.iteration, [rollout])
    else others.push(rollout)
  }
  return [...byIteration].map(([iteration, all]) => {
    const graded = all.filter(({ trajectory }) => trajectory.reward !== null)
    const verdicts = graded.map(verdictOf).filter((verdict) => verdict !== null)
    const over = (figure: (rollout: StoredGroupRollout) => number) => mean(graded.map(figure))
    return {
      iteration,
      rollouts: graded.length,
      left_out: all.length - graded.length,
      mean_reward: over(({ trajectory }) => trajectory.reward ?? 0),
      rubric_judged: verdicts.length,
      rubric_success: verdicts.filter((verdict) => verdict.rubric_success).length,
      mean_sampled_policy_reference_logratio: over(({ sampled_policy_reference_logratio: ratio }) => ratio ?? 0),
      mean_action_tokens: over(({ trajectory }) => actionTokens(trajectory)),
      mean_turns: over(({ trajectory }) => trajectory.turns.filter(({ role }) => role === 'assistant').length),
      truncated: graded.filter(({ trajectory }) => trajectory.truncated).length,
    }
  })
}

/** The rubric's verdict on a rollout of one response, given after the fact; null where it knows no target. */
function verdictOf({ task_id: prompt_id, trajectory, tokenization_valid }: GroupRollout): RubricVerdict | null {
  const said = trajectory.turns.filter(({ role }) => role === 'assistant')
  if (said.length !== 1 || said[0]!.text === undefined) return null
  const finish_reason = trajectory.truncated ? 'length' : 'eos'
  return judgeRollout({ prompt_id, text: said[0]!.text, finish_reason, tokenization_valid })
}

function actionTokens({ turns }: Trajectory): number {
  return turns.reduce((sum, { role, token_ids = [] }) => sum + (role === 'assistant' ? token_ids.length : 0), 0)
}

/** Zero for no values: an iteration without a graded rollout is never committed. */
function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}
