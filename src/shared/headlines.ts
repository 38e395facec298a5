/** The few figures that answer "what did this study show?", each with its count. */
import type { StudyResults } from './study-results.ts'

export interface Headline {
  readonly name: string
  readonly value: string
}

export function headlines(results: StudyResults | null): Headline[] {
  if (results === null) return []
  const { actor, reward_test: pairs, probes } = results
  const sft = actor.sft.metrics.test
  const ppo = actor.ppo.metrics.test
  return [
    {
      name: 'Predicted simulated preference, held-out requests',
      value: `${sft.mean_learned_reward.toFixed(2)} → ${ppo.mean_learned_reward.toFixed(2)}`,
    },
    {
      name: 'Rubric success, held-out requests',
      value: `${sft.rubric_success} → ${ppo.rubric_success} of ${ppo.rows}`,
    },
    { name: 'Reward model, pairs in the right order', value: `${pairs.correct} of ${pairs.pairs}` },
    {
      name: 'Wrong and polite above right and plain',
      value: `${probes.wrong_polite_outranks_correct_plain} of ${probes.unique_contexts}`,
    },
  ]
}
