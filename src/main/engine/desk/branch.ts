/**
 * Branching: prefixes of played episodes from which the policy plays on again. The branches of a prefix share its very
 * tokens and stay in its group, so a group becomes a tree and the value of a prefix is more than one rollout's outcome.
 */
import type { PlayedEpisode } from './desk-rows.ts'
import { prefixOf } from './desk-rows.ts'
import type { EpisodeStart } from './rollouts.ts'

export interface BranchOptions {
  /** Continuations of each prefix. */
  readonly branches: number
  /** Agent turns of the prefixes: one number for all, or every length that leaves a turn to take. */
  readonly at: number | 'every'
  readonly horizon: number
  /** Named in messages. */
  readonly file: string
}

export interface BranchStart extends EpisodeStart {
  readonly branch: { readonly of: string; readonly turns: number }
}

/**
 * One prefix is branched once, whichever of the group's rollouts it is read from. Rollouts that the environment broke off,
 * and those too short for `at`, start nothing. Throws as `prefixOf`.
 */
export function branchStarts(played: readonly PlayedEpisode[], options: BranchOptions): BranchStart[] {
  const { branches, at, horizon, file } = options
  const known = new Set<string>()
  return played.flatMap((rollout) => {
    const { trajectory } = rollout
    if (trajectory.reward === null) return []
    const actions = trajectory.turns.filter(({ role }) => role === 'assistant').length
    const lengths = Array.from({ length: Math.max(0, actions - 1) }, (_, k) => k + 1)
    return lengths
      .filter((turns) => at === 'every' || turns === at)
      .flatMap((turns) => {
        const episode = prefixOf(rollout, turns, horizon, file)
        const name = JSON.stringify([trajectory.group, ...episode.turns.map(({ agent }) => agent.token_ids)])
        if (known.has(name)) return []
        known.add(name)
        return Array.from({ length: branches }, (_, b) => ({
          id: `${trajectory.id}/after-${turns}/${b}`,
          group: trajectory.group,
          episode,
          branch: { of: trajectory.id, turns },
        }))
      })
  })
}
