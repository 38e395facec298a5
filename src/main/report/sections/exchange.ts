/** One response with both judges' words, as the sample blocks show it. */
import type { EvaluationRow } from '../../../shared/study-results.ts'
import { type Exchange, measured, verdict } from '../section.ts'

export function judged(name: string, row: EvaluationRow): Exchange['responses'][number] {
  const { rubric } = row
  const words = rubric.rubric_success ? 'success' : (rubric.reason ?? rubric.status).replaceAll('_', ' ')
  return {
    name,
    text: row.text,
    finish: `${row.response_tokens} tokens, ${row.finish_reason === 'eos' ? 'ended with EOS' : 'cut at the limit'}`,
    reward: measured(row.learned_reward_score),
    rubric: verdict(rubric.rubric_success, `${words}${rubric.polite ? ', polite' : ''}`),
  }
}
