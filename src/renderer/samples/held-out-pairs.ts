/** SFT and PPO on the same held-out requests: what each said, and how both judges moved. */
import { type PairedRow, pairRows } from '../../main/report/statistics/quadrants.ts'
import type { StudyResults } from '../../shared/study-results.ts'

export type PairFilter = 'all' | 'reward up, rubric lost' | 'gained' | 'lost' | 'same text'

export const pairFilters: readonly { readonly value: PairFilter; readonly label: string }[] = [
  { value: 'all', label: 'all' },
  { value: 'reward up, rubric lost', label: 'reward up, rubric lost' },
  { value: 'lost', label: 'rubric lost' },
  { value: 'gained', label: 'rubric gained' },
  { value: 'same text', label: 'same text' },
]

export function heldOutPairs(results: StudyResults): PairedRow[] {
  const test = (branch: 'sft' | 'ppo') => results.actor[branch].rows.filter((row) => row.split === 'test')
  return pairRows(test('sft'), test('ppo'))
}

export function matches(pair: PairedRow, filter: PairFilter, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const all = `${pair.after.prompt}\n${pair.before.text}\n${pair.after.text}`.toLowerCase()
  if (!words.every((word) => all.includes(word))) return false
  switch (filter) {
    case 'all':
      return true
    case 'reward up, rubric lost':
      return pair.reward === 'up' && pair.rubric === 'lost'
    case 'same text':
      return pair.before.text === pair.after.text
    default:
      return pair.rubric === filter
  }
}
