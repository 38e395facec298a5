/** What a set of episodes comes to: success with its interval over families, turns, invalid share, how episodes ended. */
import { bootstrapRateInterval, mean } from '../study/statistics.ts'
import type { DeskEnd } from './environment.ts'
import type { DeskTrajectory } from './episode.ts'
import { type RewardPart, rewardParts } from './rewards.ts'

export interface DeskSummary {
  readonly rollouts: number
  readonly groups: number
  readonly families: number
  /** Rollouts with a reward: all means and shares are over them. */
  readonly graded: number
  readonly ends: Readonly<Record<DeskEnd, number>>
  readonly successes: number
  readonly success_rate: number | null
  /**
   * 95 % of the rate above, bootstrap over whole families: episodes of one family are not independent. Null for fewer than
   * `leastFamilies`.
   */
  readonly success_interval: readonly [number, number] | null
  readonly mean_reward: number | null
  readonly reward_parts: Readonly<Record<RewardPart, number>> | null
  readonly mean_turns: number | null
  readonly mean_checks: number | null
  /** Of agent turns: neither check nor answer; checks before their gate; checks of what was known already. */
  readonly invalid_share: number | null
  readonly locked_share: number | null
  readonly repeated_share: number | null
  readonly mean_action_tokens: number | null
}

const intervalSeed = 49
/** Of fewer, the resamples are so few that their percentiles are mostly the families' own extremes. */
const leastFamilies = 5

export function summarize(trajectories: readonly DeskTrajectory[]): DeskSummary {
  const graded = trajectories.filter(({ reward }) => reward !== null)
  const actions = graded.map(({ turns }) => turns.filter(({ role }) => role === 'assistant'))
  const all = actions.flat()
  const meanOf = (values: readonly number[]) => (values.length === 0 ? null : mean(values))
  const share = (event: (turn: (typeof all)[number]) => boolean) => meanOf(all.map((turn) => Number(event(turn))))
  const ends: Record<DeskEnd, number> = { answered: 0, horizon: 0, token_limit: 0, environment_failure: 0 }
  for (const { end } of trajectories) ends[end] += 1
  const families = [...new Set(graded.map(({ task }) => task.family))]
  const perFamily = families.map((family) => {
    const own = graded.filter(({ task }) => task.family === family)
    return { events: own.filter(({ success }) => success).length, trials: own.length }
  })
  const repeated = graded.map(({ turns }) => repeatedChecks(turns))
  return {
    rollouts: trajectories.length,
    groups: new Set(trajectories.map(({ group }) => group)).size,
    families: perFamily.length,
    graded: graded.length,
    ends,
    successes: graded.filter(({ success }) => success).length,
    success_rate: meanOf(graded.map(({ success }) => Number(success))),
    success_interval:
      perFamily.length < leastFamilies ? null : bootstrapRateInterval(perFamily, { seed: intervalSeed }),
    mean_reward: meanOf(graded.map(({ reward }) => reward!)),
    reward_parts:
      graded.length === 0
        ? null
        : (Object.fromEntries(
            rewardParts.map((part) => [part, mean(graded.map(({ reward_parts }) => reward_parts![part]))]),
          ) as Record<RewardPart, number>),
    mean_turns: meanOf(actions.map(({ length }) => length)),
    mean_checks: meanOf(actions.map((turns) => turns.filter(isCheck).length)),
    invalid_share: share(({ event }) => event === 'invalid'),
    locked_share: share(({ event }) => event === 'locked'),
    repeated_share: all.length === 0 ? null : repeated.reduce((sum, value) => sum + value, 0) / all.length,
    mean_action_tokens: meanOf(
      actions.map((turns) => turns.reduce((sum, { token_ids }) => sum + (token_ids?.length ?? 0), 0)),
    ),
  }
}

type Turns = DeskTrajectory['turns']

const isCheck = ({ event }: Turns[number]) => event === 'check' || event === 'locked'

/** A check that left the state as it was, its gate being open: its answer had been given before. */
function repeatedChecks(turns: Turns): number {
  const seen = new Set<string>()
  return turns.filter(({ event, text = '' }) => {
    if (event !== 'check') return false
    const again = seen.has(text)
    seen.add(text)
    return again
  }).length
}
