/** Whether recorded advantages are what the recorded rewards give: a right reading of groups and abstentions says yes. */
import { groupNormalised, meanCentred } from '../engine/credit/estimators/baselines.ts'
import type { ImportCheck } from './rollout-row.ts'

export interface GroupRule {
  readonly name: string
  readonly of: (rewards: readonly number[]) => readonly number[]
}

export const grpoRule = (ddof: 0 | 1, epsilon: number): GroupRule => ({
  name: `GRPO, ddof ${ddof}, ε ${epsilon}`,
  of: (rewards) => groupNormalised(rewards, ddof, epsilon),
})

export const centredRule: GroupRule = { name: 'reward minus group mean', of: meanCentred }

/** Float32 advantages of rewards of this size differ by less. */
const tolerance = 1e-4

export class ReplayedAdvantages {
  readonly #groups = new Map<string, { readonly rewards: number[]; readonly advantages: number[] }>()

  /** Graded rollouts only: an abstention takes no part in its group, and its advantage is 0 by decree. */
  add(group: string, reward: number | null, advantage: number | null | undefined): void {
    if (reward === null || advantage == null || !Number.isFinite(advantage)) return
    const members = this.#groups.get(group) ?? { rewards: [], advantages: [] }
    members.rewards.push(reward)
    members.advantages.push(advantage)
    this.#groups.set(group, members)
  }

  /** Of the rules, the one that comes closest; null where nothing was recorded. */
  check(rules: readonly GroupRule[]): ImportCheck | null {
    if (this.#groups.size === 0) return null
    const [best] = rules
      .map((rule) => ({ rule, difference: this.#largestDifference(rule) }))
      .sort((a, b) => a.difference - b.difference)
    if (best === undefined) return null
    const { rule, difference } = best
    return {
      name: `advantages replayed (${rule.name})`,
      recorded: null,
      found: difference,
      difference,
      agrees: difference <= tolerance,
    }
  }

  #largestDifference({ of }: GroupRule): number {
    let largest = 0
    for (const { rewards, advantages } of this.#groups.values()) {
      for (const [k, value] of of(rewards).entries()) largest = Math.max(largest, Math.abs(value - advantages[k]!))
    }
    return largest
  }
}
