/** What would record or compute a field that an estimator misses. */
import { BadInput } from '../../../shared/bad-input.ts'
import { methodFacts } from './method-facts.ts'

/** What records a field that a method misses. */
const providers: Readonly<Record<string, string>> = {
  values:
    'A critic records them: PPO does, and dumps of trainers with one; credit read --value-adapter adds those of a critic kept here',
  logprobs: 'The policy that sampled records them; credit read --policy adds those of a policy kept here',
  ref_logprobs: 'A run with a reference records them; credit read --reference adds those of one kept here',
  teacher_logprobs: 'credit read --teacher adds those of an adapter over the same base, or of the base itself',
  retention: 'credit read --policy reads it from the attention of the policy',
  prefix_scores: 'credit read --reward-adapter adds a reward model’s score of every prefix',
  base_score: 'credit read --reward-adapter adds a reward model’s score of the prompt alone',
  token_influences: 'credit read --reward-adapter adds them, to first order',
  state_key: 'An environment that names its states records them; the desk does',
  final_state_key: 'An environment that names its states records it; the desk does',
  segment: 'A trainer that compacts its context records which segment a turn belongs to',
  option: 'A policy with options records which option a turn belongs to',
  bootstrap_value: 'The critic’s value of the state where the rollout was cut: credit read --value-adapter adds it',
  greedy_reward: 'Roll the prompt out greedily once and write its reward into the rollouts',
  token_ids: 'Import the file with the tokenizer of the policy',
}

/** @param problem what the method said of the rollouts; null where it names no field that something provides */
export function providerOf(label: string, problem: string): string | null {
  const facts = methodFacts().find(({ name }) => name === label.split(':')[0])
  const fields = [...(facts?.fields ?? []), ...Object.keys(providers)]
  const missing = fields.find((field) => new RegExp(`\\b${field}\\b`).test(problem))
  return missing === undefined ? null : (providers[missing] ?? null)
}

/**
 * The same for a command: what is lacking and what would provide it, in one sentence.
 *
 * @throws BadInput as `take` does, with the provider where `input` lacks a field
 */
export function namingProvider<T>(label: string, input: string, take: () => T): T {
  try {
    return take()
  } catch (error) {
    if (!(error instanceof BadInput) || error.subject !== input) throw error
    const provider = providerOf(label, error.problem)
    if (provider === null) throw error
    throw new BadInput(input, `${error.problem}. ${provider}`, error.where)
  }
}
