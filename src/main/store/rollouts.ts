/** Tables `rollouts` and `observations`: every sampled response with every number of every token. */

import type { RunId } from '../../shared/ids.ts'
import type { PpoObservation, Rollout } from '../../shared/stage.ts'
import type { IterationPoint } from '../../shared/study-document.ts'
import { judgeRollout } from '../engine/study/judge-rollout.ts'
import { decodeFloats, decodeIds, encodeFloats, encodeIds } from './blobs.ts'
import { assertFinite } from './json.ts'
import type { Db } from './open-store.ts'

export interface StoredRollout extends Rollout {
  readonly iteration: number
  readonly policy_sha256: string
}

interface Columns {
  readonly iteration: number
  readonly rollout_id: string
  readonly prompt_id: string
  readonly policy_sha256: string
  readonly prompt_ids: Uint8Array
  readonly response_ids: Uint8Array
  readonly text: string
  readonly finish_reason: 'eos' | 'length'
  readonly tokenization_valid: number
  readonly old_token_logprobs: Uint8Array
  readonly reference_token_logprobs: Uint8Array
  readonly token_values: Uint8Array
  readonly token_rewards: Uint8Array
  readonly advantages: Uint8Array
  readonly returns: Uint8Array
  readonly learned_reward_score: number
  readonly reward_judge: number
  readonly reward_kl: number
  readonly reward_truncation: number
  readonly sampled_actor_reference_logratio: number
}

/** Throws naming the field when a number is not finite, or when a per-token array is not one number a token. */
export function insertRollout(
  db: Db,
  runId: RunId,
  place: { readonly iteration: number; readonly position: number; readonly policySha256: string },
  rollout: Rollout,
): void {
  assertFinite(rollout.learned_reward_score, `rollout ${rollout.rollout_id} learned_reward_score`)
  assertFinite(rollout.reward_parts, `rollout ${rollout.rollout_id} reward_parts`)
  const perToken = (values: readonly number[], field: string) => {
    if (values.length !== rollout.response_ids.length) {
      throw new Error(
        `rollout ${rollout.rollout_id}: ${field} has ${values.length} numbers for ${rollout.response_ids.length} tokens`,
      )
    }
    return encodeFloats(values, `rollout ${rollout.rollout_id} ${field}`)
  }
  db.prepare(
    `INSERT INTO rollouts (run_id, iteration, position, rollout_id, prompt_id, policy_sha256, prompt_ids, response_ids,
       text, finish_reason, tokenization_valid, old_token_logprobs, reference_token_logprobs, token_values,
       token_rewards, advantages, returns, learned_reward_score, reward_judge, reward_kl, reward_truncation,
       sampled_actor_reference_logratio)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    runId,
    place.iteration,
    place.position,
    rollout.rollout_id,
    rollout.prompt_id,
    place.policySha256,
    encodeIds(rollout.prompt_ids, 'prompt_ids'),
    encodeIds(rollout.response_ids, 'response_ids'),
    rollout.text,
    rollout.finish_reason,
    rollout.tokenization_valid ? 1 : 0,
    perToken(rollout.old_token_logprobs, 'old_token_logprobs'),
    perToken(rollout.reference_token_logprobs, 'reference_token_logprobs'),
    perToken(rollout.values, 'values'),
    perToken(rollout.token_rewards, 'token_rewards'),
    perToken(rollout.advantages, 'advantages'),
    perToken(rollout.returns, 'returns'),
    rollout.learned_reward_score,
    rollout.reward_parts.judge,
    rollout.reward_parts.kl,
    rollout.reward_parts.truncation,
    rollout.sampled_actor_reference_logratio,
  )
}

export function insertObservation(db: Db, runId: RunId, update: number, observation: PpoObservation): void {
  const floats = (values: readonly number[], field: string) =>
    encodeFloats(values, `update ${update}, rollout ${observation.rollout_id} ${field}`)
  db.prepare(
    `INSERT INTO observations (run_id, update_number, rollout_id, current_token_logprobs, ratios, current_values,
       actor_loss, critic_loss, old_logprob_max_difference) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    runId,
    update,
    observation.rollout_id,
    floats(observation.current_token_logprobs, 'current_token_logprobs'),
    floats(observation.ratios, 'ratios'),
    floats(observation.current_values, 'current_values'),
    observation.actor_loss,
    observation.critic_loss,
    observation.old_logprob_max_difference,
  )
}

/** In the order they were sampled; `iterations` narrows to a range, both ends included. */
export function rolloutsOf(db: Db, runId: RunId, iterations?: readonly [number, number]): StoredRollout[] {
  const [first, last] = iterations ?? [0, Number.MAX_SAFE_INTEGER]
  const found = db
    .prepare('SELECT * FROM rollouts WHERE run_id = ? AND iteration BETWEEN ? AND ? ORDER BY iteration, position')
    .all(runId, first, last) as Columns[]
  return found.map(fromColumns)
}

/** Runs that recorded rollouts, newest first, with how many and of which iterations. */
export function allRolloutRanges(
  db: Db,
): { run_id: RunId; rollouts: number; first_iteration: number; last_iteration: number }[] {
  return db
    .prepare(
      `SELECT run_id, COUNT(*) AS rollouts, MIN(iteration) AS first_iteration, MAX(iteration) AS last_iteration
       FROM (SELECT run_id, iteration FROM rollouts UNION ALL SELECT run_id, iteration FROM group_rollouts)
       JOIN runs USING (run_id) GROUP BY run_id ORDER BY created_at DESC, run_id DESC`,
    )
    .all() as ReturnType<typeof allRolloutRanges>
}

/** What each update saw of one rollout, in update order. */
export function observationsOf(
  db: Db,
  runId: RunId,
  rolloutId: string,
): (PpoObservation & { readonly update: number })[] {
  const found = db
    .prepare('SELECT * FROM observations WHERE run_id = ? AND rollout_id = ? ORDER BY update_number')
    .all(runId, rolloutId) as ObservationColumns[]
  return found.map((row) => ({
    update: row.update_number,
    rollout_id: row.rollout_id,
    current_token_logprobs: decodeFloats(row.current_token_logprobs),
    ratios: decodeFloats(row.ratios),
    current_values: decodeFloats(row.current_values),
    actor_loss: row.actor_loss,
    critic_loss: row.critic_loss,
    old_logprob_max_difference: row.old_logprob_max_difference,
  }))
}

interface ObservationColumns {
  readonly update_number: number
  readonly rollout_id: string
  readonly current_token_logprobs: Uint8Array
  readonly ratios: Uint8Array
  readonly current_values: Uint8Array
  readonly actor_loss: number
  readonly critic_loss: number
  readonly old_logprob_max_difference: number
}

/** One point an iteration: means over its rollouts; token figures are response means first, as the losses are. */
export function iterationsOf(db: Db, runId: RunId): IterationPoint[] {
  const byIteration = new Map<number, StoredRollout[]>()
  for (const rollout of rolloutsOf(db, runId)) {
    const group = byIteration.get(rollout.iteration)
    if (group === undefined) byIteration.set(rollout.iteration, [rollout])
    else group.push(rollout)
  }
  return [...byIteration].map(([iteration, rollouts]) => {
    const over = (figure: (rollout: StoredRollout) => number) => mean(rollouts.map(figure))
    const verdicts = rollouts.map(judgeRollout).filter((verdict) => verdict !== null)
    return {
      iteration,
      rollouts: rollouts.length,
      mean_learned_reward: over((rollout) => rollout.learned_reward_score),
      rubric_judged: verdicts.length,
      rubric_success: verdicts.filter((verdict) => verdict.rubric_success).length,
      rubric_recognized: verdicts.filter((verdict) => verdict.recognized).length,
      mean_sampled_actor_reference_logratio: over((rollout) => rollout.sampled_actor_reference_logratio),
      mean_response_tokens: over((rollout) => rollout.response_ids.length),
      without_eos: rollouts.filter((rollout) => rollout.finish_reason !== 'eos').length,
      mean_kl_reward: over((rollout) => rollout.reward_parts.kl),
      mean_truncation_reward: over((rollout) => rollout.reward_parts.truncation),
      mean_value: over((rollout) => mean(rollout.values)),
      mean_advantage: over((rollout) => mean(rollout.advantages)),
      mean_return: over((rollout) => mean(rollout.returns)),
    }
  })
}

/** Zero for no values: an empty response has no token to speak of. */
function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

function fromColumns(row: Columns): StoredRollout {
  return {
    iteration: row.iteration,
    policy_sha256: row.policy_sha256,
    rollout_id: row.rollout_id,
    prompt_id: row.prompt_id,
    prompt_ids: decodeIds(row.prompt_ids),
    response_ids: decodeIds(row.response_ids),
    text: row.text,
    finish_reason: row.finish_reason,
    tokenization_valid: row.tokenization_valid === 1,
    old_token_logprobs: decodeFloats(row.old_token_logprobs),
    reference_token_logprobs: decodeFloats(row.reference_token_logprobs),
    values: decodeFloats(row.token_values),
    token_rewards: decodeFloats(row.token_rewards),
    advantages: decodeFloats(row.advantages),
    returns: decodeFloats(row.returns),
    learned_reward_score: row.learned_reward_score,
    reward_parts: { judge: row.reward_judge, kl: row.reward_kl, truncation: row.reward_truncation },
    sampled_actor_reference_logratio: row.sampled_actor_reference_logratio,
  }
}
