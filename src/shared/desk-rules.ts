/** The rules of the multi-turn desk: how long an episode may be, what its turns cost, and what its answer is worth. */

/** Agent turns of the longest episode that the desk allows. */
export const longestHorizon = 12

/** What an episode's reward is made of. */
export interface DeskPrices {
  /** Times the rubric's verdict on the answer, 1 or 0. */
  readonly rubric_weight: number
  /** Times the reward model's score of the transcript, read at its last action token, whatever ended it. */
  readonly reward_model_weight: number
  /** Paid for each check, a locked or repeated one too. */
  readonly check_cost: number
  /** Paid for each turn that is neither check nor answer. */
  readonly invalid_cost: number
  /** Added at the last turn where the horizon or a token limit cut the episode; negative to punish. */
  readonly truncation_penalty: number
}

export interface DeskRules extends DeskPrices {
  /** Agent turns after which an episode is cut. */
  readonly horizon: number
  /** Of one agent turn, its EOS included. */
  readonly max_turn_tokens: number
  /** Of request, agent turns and observations together; never more than the checkpoint has positions. */
  readonly max_context_tokens: number
  /** Chance that a check breaks, which ends the episode without a reward; above 0 for tests and diagnoses. */
  readonly failure_rate: number
}

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
