/** The rules of the multi-turn desk: how long an episode may be, what its turns cost, and what its answer is worth. */
import { z } from 'zod'

/** Agent turns of the longest episode that the desk allows. */
export const longestHorizon = 12

const cost = z.number().finite().nonnegative()
const weight = z.number().finite()
const tokens = z.number().int().positive().max(1_000_000)

export const deskRulesSchema = z.strictObject({
  /** Agent turns after which an episode is cut. */
  horizon: z.number().int().min(1).max(longestHorizon),
  /** Of one agent turn, its EOS included. */
  max_turn_tokens: tokens,
  /** Of request, agent turns and observations together; never more than the checkpoint has positions. */
  max_context_tokens: tokens,
  /** Chance that a check breaks, which ends the episode without a reward; above 0 for tests and diagnoses. */
  failure_rate: z.number().min(0).max(1),
  /** Times the rubric's verdict on the answer, 1 or 0. */
  rubric_weight: weight,
  /** Times the reward model's score of the transcript, read at its last action token, whatever ended it. */
  reward_model_weight: weight,
  /** Paid for each check, a locked or repeated one too. */
  check_cost: cost,
  /** Paid for each turn that is neither check nor answer. */
  invalid_cost: cost,
  /** Added at the last turn where the horizon or a token limit cut the episode; negative to punish. */
  truncation_penalty: z.number().finite(),
})
export type DeskRules = z.infer<typeof deskRulesSchema>
/** What an episode's reward is made of. */
export type DeskPrices = Pick<
  DeskRules,
  'rubric_weight' | 'reward_model_weight' | 'check_cost' | 'invalid_cost' | 'truncation_penalty'
>

export const defaultDeskRules: DeskRules = {
  horizon: longestHorizon,
  max_turn_tokens: 40,
  max_context_tokens: 512,
  failure_rate: 0,
  rubric_weight: 1,
  reward_model_weight: 0,
  check_cost: 0.03,
  invalid_cost: 0.03,
  truncation_penalty: 0,
}
