/**
 * The rubric's verdict on a PPO rollout, given after the fact: the learner saw the context and never the target. What
 * the optimised score did can then be laid beside what the criterion did, on the same responses.
 */
import type { Rollout } from '../../../shared/stage.ts'
import type { RubricVerdict } from '../../../shared/study-results.ts'
import { expectedActionOf } from './corpus.ts'
import { evaluateResponse, undecodable } from './rubric.ts'

/** Null for a prompt that is not of the corpus: the rubric knows no target for it. */
export function judgeRollout(
  rollout: Pick<Rollout, 'prompt_id' | 'text' | 'finish_reason' | 'tokenization_valid'>,
): RubricVerdict | null {
  const expected = expectedActionOf(rollout.prompt_id)
  if (expected === null) return null
  return rollout.tokenization_valid ? evaluateResponse(rollout.text, rollout.finish_reason, expected) : undecodable
}
