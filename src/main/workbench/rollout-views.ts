/** A study's sampled responses as windows list and open them: verdicts given after the fact, tokens as text. */
import { BadInput } from '../../shared/bad-input.ts'
import type { RolloutListing, RolloutView } from '../../shared/ipc.ts'
import { judgeRollout } from '../engine/study/judge-rollout.ts'
import { showAudits, showObservations, showRollouts } from './show-rollouts.ts'
import { tokenTexts } from './token-texts.ts'
import { requireStudy, type Workbench } from './workbench.ts'

/** In the order they were sampled. Throws `BadInput` when there is no such study. */
export function listRollouts(bench: Workbench, id: string): RolloutListing[] {
  return showRollouts(bench, id).map((rollout) => ({
    rollout_id: rollout.rollout_id,
    prompt_id: rollout.prompt_id,
    text: rollout.text,
    finish_reason: rollout.finish_reason,
    learned_reward_score: rollout.learned_reward_score,
    reward_parts: rollout.reward_parts,
    sampled_actor_reference_logratio: rollout.sampled_actor_reference_logratio,
    iteration: rollout.iteration,
    response_tokens: rollout.response_ids.length,
    rubric: judgeRollout(rollout),
  }))
}

/** Throws `BadInput` when there is no such study or rollout. */
export function showRollout(bench: Workbench, id: string, rolloutId: string): RolloutView {
  const found = showRollouts(bench, id).find((candidate) => candidate.rollout_id === rolloutId)
  if (found === undefined) throw new BadInput(rolloutId, `is not a rollout of ${id}`)
  const { policy_sha256: _policy, ...rollout } = found
  const text = tokenTexts(requireStudy(bench, id).modelDir)
  return {
    rollout,
    prompt_tokens: rollout.prompt_ids.map(text),
    response_tokens: rollout.response_ids.map(text),
    rubric: judgeRollout(found),
    observations: showObservations(bench, id, rolloutId),
    audits: showAudits(bench, id, rollout),
  }
}
