/** No reward counted twice where compaction or a splitter cut a long rollout into parts. */
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { absenceOf } from '../estimators/estimate.ts'
import { type Check, first } from './check.ts'

/** Segments of a rollout whose last action turn was paid the whole outcome. */
function segmentsPaid({ turns, reward }: Trajectory): number {
  if (reward === null || reward === 0) return 0
  const last = new Map<number, number>()
  for (const { role, segment, rewards, reward: own = 0 } of turns) {
    if (role === 'assistant' && segment !== undefined) last.set(segment, (rewards?.at(-1) ?? 0) + own)
  }
  return [...last.values()].filter((paid) => paid === reward).length
}

/** Turns whose own reward is the sum of their token rewards: both are paid. */
function turnsPaidTwice({ turns }: Trajectory): number {
  return turns.filter(({ rewards, reward }) => {
    return reward !== undefined && reward !== 0 && rewards?.reduce((sum, value) => sum + value, 0) === reward
  }).length
}

export const doubleCounting: Check = ({ trajectories }) => {
  const id = 'double-counting'
  const rows = trajectories.filter((row) => absenceOf(row) === null)
  const repeated = rows.filter((row) => segmentsPaid(row) > 1)
  const twice = rows.filter((row) => turnsPaidTwice(row) > 0)
  const episodes = new Map<string, string[]>()
  for (const row of rows)
    if (row.episode !== undefined) episodes.set(row.episode, [...(episodes.get(row.episode) ?? []), row.id])
  const split = [...episodes].filter(([, parts]) => parts.length > 1)
  const faults = [
    ...(repeated.length > 0
      ? [`the outcome is paid in several segments of ${first(repeated.map((row) => row.id))}: keep it in the last`]
      : []),
    ...(split.length > 0
      ? [
          `each part of ${first(split.map(([episode]) => episode))} carries its own graded outcome, so group means count it once a part: grade one part, write null on the others`,
        ]
      : []),
    ...(twice.length > 0
      ? [`a turn's reward repeats the sum of its token rewards in ${first(twice.map((row) => row.id))}: both are paid`]
      : []),
  ]
  const figure =
    repeated.reduce((sum, row) => sum + segmentsPaid(row) - 1, 0) +
    split.reduce((sum, [, parts]) => sum + parts.length - 1, 0) +
    twice.reduce((sum, row) => sum + turnsPaidTwice(row), 0)
  const segmented = rows.filter(({ turns }) => new Set(turns.map(({ segment }) => segment ?? 0)).size > 1).length
  const data = {
    rollouts_with_segments: segmented,
    episodes_split_over_rows: split.length,
    rollouts_paid_in_several_segments: repeated.length,
    rollouts_with_turns_paid_twice: twice.length,
  }
  if (faults.length > 0) return { id, status: 'failed', figure, detail: faults.join('; '), data }
  const detail = `${segmented} rollouts of several segments, ${episodes.size} named episodes: every reward stands once`
  return { id, status: 'ok', figure, detail, data }
}
