/** The figures of one population of evaluation rows. */
import type { EvaluationRow, EvaluationSummary } from '../../../shared/study-results.ts'
import { mean } from './statistics.ts'
import { StudyFault } from './study-fault.ts'

/**
 * Counts and means over `rows`. The success rate keeps every row in its denominator; unsupported certainty is counted
 * among recognised rows only, whose number is `uncertainty_denominator`. Throws StudyFault on no rows.
 */
export function summarize(rows: readonly EvaluationRow[]): EvaluationSummary {
  if (rows.length === 0) throw new StudyFault('no_rows', 'a population without rows has no summary')
  const count = (holds: (row: EvaluationRow) => boolean) => rows.filter(holds).length
  const success = count(({ rubric }) => rubric.rubric_success)
  const recognized = count(({ rubric }) => rubric.recognized)
  return {
    rows: rows.length,
    rubric_success: success,
    rubric_success_rate: success / rows.length,
    recognized,
    recognized_rate: recognized / rows.length,
    uncertified: rows.length - recognized,
    relevant_recognized: count(({ rubric }) => rubric.recognized && rubric.relevant),
    unsupported_certainty_recognized: count(({ rubric }) => rubric.recognized && rubric.unsupported_certainty === true),
    declared_refusals: count(({ rubric }) => rubric.refusal),
    without_eos: count(({ finish_reason }) => finish_reason !== 'eos'),
    mean_response_tokens: mean(rows.map(({ response_tokens }) => response_tokens)),
    mean_learned_reward: mean(rows.map(({ learned_reward_score }) => learned_reward_score)),
    mean_sampled_actor_reference_logratio: mean(rows.map((row) => row.sampled_actor_reference_logratio)),
    uncertainty_denominator: recognized,
    human_utility_claim: false,
  }
}
