/** Journal lines of the fake stage: the right shape, with numbers that mean nothing. */
import type { JournalLine, LearningJob } from '../../shared/stage.ts'

/**
 * What one update of the fake stage writes.
 * @param draw the number that all others are made of
 */
export function linesOf(
  job: LearningJob,
  done: number,
  perEpoch: number,
  draw: number,
  rows: readonly { id: string }[],
  notFinite: boolean,
): JournalLine[] {
  if (job.stage === 'ppo') return [iteration(done, draw, rows)]
  const epoch = Math.ceil(done / perEpoch)
  const loss = notFinite ? (null as unknown as number) : draw
  const update: JournalLine = {
    kind: 'update',
    epoch,
    update: done,
    learning_rate: 1 / done,
    denominator: 8,
    denominator_kind: job.stage === 'sft' ? 'active_response_tokens' : 'pairs',
    loss,
    grad_norm: draw * 2,
    rows: [{ id: rows[done % rows.length]?.id ?? '', tokens: 3, sum_logprob: -draw }],
  }
  if (done % perEpoch !== 0) return [update]
  return [update, { kind: 'validation', epoch, population: 180, loss: draw, rows: [], used_for_selection: false }]
}

function iteration(done: number, draw: number, rows: readonly { id: string }[]): JournalLine {
  const rollouts = [0, 1, 2, 3].map((n) => ({
    rollout_id: `i${done}-r${n}`,
    prompt_id: rows[(done * 4 + n) % rows.length]?.id ?? '',
    prompt_ids: [1, 2, 3],
    response_ids: [4, 5],
    text: `response ${n}`,
    finish_reason: n === 0 ? ('length' as const) : ('eos' as const),
    tokenization_valid: true,
    old_token_logprobs: [-draw, -0.1],
    reference_token_logprobs: [-draw, -0.2],
    values: [0, draw],
    token_rewards: [0, draw],
    advantages: [draw, draw / 3],
    returns: [draw, draw],
    learned_reward_score: draw - n,
    reward_parts: { judge: draw - n, kl: -0.01, truncation: n === 0 ? -1 : 0 },
    sampled_actor_reference_logratio: 0.05,
  }))
  const updates = [1, 2].map((epoch) => ({
    update: (done - 1) * 2 + epoch,
    epoch_within_rollout: epoch,
    learning_rates: { actor: 0.1, critic: 0.2 },
    grad_norms: { actor: draw, critic: draw },
    actor_loss: -draw,
    critic_loss: draw,
    clip_fraction: 0,
    equal_response_denominator: 4,
    observations: rollouts.map(({ rollout_id }) => ({
      rollout_id,
      current_token_logprobs: [-draw, -0.1],
      ratios: [1, 1.01],
      current_values: [0, draw],
      actor_loss: -draw,
      critic_loss: draw,
      old_logprob_max_difference: 1e-7,
    })),
  }))
  return {
    kind: 'iteration',
    iteration: done,
    policy_sha256: `policy ${done}`,
    reduction: 'response mean, then batch mean',
    rollouts,
    updates,
  }
}
