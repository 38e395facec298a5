/** Why groups say nothing about single tokens: each cause with how many groups have it. */
import type { ProcessRewardGroup } from '../../../shared/credit-estimates.ts'

/** "4 of 5 groups are killed: in 3 only one rollout is graded: every prefix is its own; in 1 …". */
export function killedWords(groups: readonly ProcessRewardGroup[]): string {
  const killed = groups.filter((group) => group.killed)
  const causes = new Map<string, number>()
  for (const { reason } of killed) {
    const cause = reason ?? 'no reason is recorded'
    causes.set(cause, (causes.get(cause) ?? 0) + 1)
  }
  const [only] = causes.size === 1 ? causes.keys() : []
  const of = `${killed.length} of ${groups.length} ${groups.length === 1 ? 'group is' : 'groups are'} killed`
  if (only !== undefined) return `${of}: ${only}.`
  return `${of}: ${[...causes].map(([cause, many]) => `in ${many} ${cause}`).join('; ')}.`
}
