/** The desk's rules in words: one list for every form that plays there. */
import type { DeskRules } from '../../../shared/desk-rules.ts'

export interface RuleText {
  readonly name: string
  /** Empty where the rule is a pure number. */
  readonly unit: string
  readonly sentence: string
}

export type Rule = keyof DeskRules

const rule = (name: string, unit: string, sentence: string): RuleText => ({ name, unit, sentence })

export const ruleTexts: Readonly<Record<Rule, RuleText>> = {
  reward_model_weight: rule(
    'Weight of its score',
    'times the score',
    'The reward model’s score of the transcript, added to the reward whatever ended it; a weight other than 0 needs one.',
  ),
  rubric_weight: rule('Weight of the rubric', 'times 1 or 0', 'Its verdict on the answer.'),
  horizon: rule('Horizon', 'agent turns', 'After so many an episode is cut, 1 to 12.'),
  max_turn_tokens: rule('Longest turn', 'tokens', 'Of one agent turn, its end included.'),
  max_context_tokens: rule('Longest episode', 'tokens', 'Request, turns and replies together.'),
  check_cost: rule('Cost of a check', 'reward', 'Paid for each, a locked or repeated one too.'),
  invalid_cost: rule('Cost of an invalid turn', 'reward', 'Paid for a turn that is neither check nor answer.'),
  truncation_penalty: rule(
    'Truncation penalty',
    'reward',
    'Added at the last turn of an episode that was cut; negative to punish.',
  ),
  failure_rate: rule(
    'Chance that a check breaks',
    '0 to 1',
    'Ends the episode without a reward; above 0 to see that it is kept apart.',
  ),
}

/** The weight stands beside the reward model that it is of. */
export const plainRules = (Object.keys(ruleTexts) as Rule[]).filter((name) => name !== 'reward_model_weight')

/** Those that are not the desk's own, for a request. */
export function rulesFrom(usual: DeskRules, values: Readonly<Partial<DeskRules>>): Partial<DeskRules> {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== usual[name as Rule]))
}
