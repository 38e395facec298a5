/** Responses as the samples table lists them, whatever they were sampled for; two judges sort them into four quadrants. */
import type { RolloutListing } from '../../shared/ipc.ts'
import type { EvaluationRow, RubricVerdict } from '../../shared/study-results.ts'

export interface SampleRow {
  readonly id: string
  /** PPO iteration; null for a held-out response. */
  readonly step: number | null
  readonly prompt: string
  readonly response: string
  readonly finish: 'eos' | 'length'
  readonly tokens: number
  readonly reward: number
  readonly rubric: RubricVerdict | null
  readonly parts: RolloutListing['reward_parts'] | null
  readonly logratio: number
}

export const quadrants = ['high-passed', 'high-failed', 'low-passed', 'low-failed'] as const
export type Quadrant = (typeof quadrants)[number]

export const quadrantWords: Readonly<Record<Quadrant, string>> = {
  'high-passed': 'high reward, rubric passed',
  'high-failed': 'high reward, rubric failed',
  'low-passed': 'low reward, rubric passed',
  'low-failed': 'low reward, rubric failed',
}

export const rolloutRow = (rollout: RolloutListing): SampleRow => ({
  id: rollout.rollout_id,
  step: rollout.iteration,
  prompt: rollout.prompt_id,
  response: rollout.text,
  finish: rollout.finish_reason,
  tokens: rollout.response_tokens,
  reward: rollout.learned_reward_score,
  rubric: rollout.rubric,
  parts: rollout.reward_parts,
  logratio: rollout.sampled_actor_reference_logratio,
})

export const evaluationRow = (row: EvaluationRow): SampleRow => ({
  id: row.document_id,
  step: null,
  prompt: row.prompt,
  response: row.text,
  finish: row.finish_reason,
  tokens: row.response_tokens,
  reward: row.learned_reward_score,
  rubric: row.rubric,
  parts: null,
  logratio: row.sampled_actor_reference_logratio,
})

/** Null where no rubric judged the response: it stands in no quadrant. */
export function quadrantOf(row: SampleRow, threshold: number): Quadrant | null {
  if (row.rubric === null) return null
  const passed = row.rubric.rubric_success ? 'passed' : 'failed'
  return row.reward >= threshold ? `high-${passed}` : `low-${passed}`
}

export interface QuadrantCounts extends Readonly<Record<Quadrant, number>> {
  readonly unjudged: number
}

export function countQuadrants(rows: readonly SampleRow[], threshold: number): QuadrantCounts {
  const counts = { 'high-passed': 0, 'high-failed': 0, 'low-passed': 0, 'low-failed': 0, unjudged: 0 }
  for (const row of rows) counts[quadrantOf(row, threshold) ?? 'unjudged'] += 1
  return counts
}

/** Half of the rows are at or above it (where none are equal). */
export function medianReward(rows: readonly SampleRow[]): number {
  const sorted = rows
    .map((row) => row.reward)
    .filter(Number.isFinite)
    .sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? 0
}

export interface SampleFilter {
  readonly text: string
  readonly quadrant: Quadrant | null
  readonly finish: 'all' | 'eos' | 'length'
}

export const noFilter: SampleFilter = { text: '', quadrant: null, finish: 'all' }

/** Every word must occur in the prompt, the response or the rubric's reason, in any case. */
export function filterRows(rows: readonly SampleRow[], filter: SampleFilter, threshold: number): SampleRow[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter((row) => {
    if (filter.quadrant !== null && quadrantOf(row, threshold) !== filter.quadrant) return false
    if (filter.finish !== 'all' && row.finish !== filter.finish) return false
    if (words.length === 0) return true
    const text = `${row.prompt}\n${row.response}\n${row.rubric?.reason ?? ''}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** The verdict in a few letters, with its mark. Uncertified is not wrong, but never a success. */
export function verdictWords(rubric: RubricVerdict | null): string {
  if (rubric === null) return 'not judged'
  if (rubric.rubric_success) return '✓ passed'
  if (!rubric.recognized) return '○ uncertified'
  return `✕ ${(rubric.reason ?? 'failed').replaceAll('_', ' ')}`
}
