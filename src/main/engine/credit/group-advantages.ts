/**
 * Advantages of whole rollouts from the rewards of their group: self-including standardisation (GRPO) and leave-one-out
 * (RLOO). A rollout without a reward is in no group. Numbers only.
 */
import type { Trajectory } from '../../../shared/trajectory.ts'

type Graded = Pick<Trajectory, 'group' | 'reward'>

/** (R − mean)/(deviation + ε); 0 where the group's rewards are equal, or there is one. */
export function grpo(rewards: readonly number[], { ddof = 1, epsilon = 1e-4 } = {}): number[] {
  const deviation = standardDeviation(rewards, ddof)
  if (deviation === 0) return rewards.map(() => 0)
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length
  return rewards.map((reward) => (reward - mean) / (deviation + epsilon))
}

/** R − mean of the others; 0 where there are none. */
export function leaveOneOut(rewards: readonly number[]): number[] {
  const total = rewards.reduce((sum, reward) => sum + reward, 0)
  const others = rewards.length - 1
  return rewards.map((reward) => (others === 0 ? 0 : reward - (total - reward) / others))
}

/** Square root of Σ(x − mean)²/(n − ddof); 0 for fewer than two numbers, and exactly 0 where all are equal. */
export function standardDeviation(values: readonly number[], ddof = 1): number {
  if (values.length < 2 || values.every((value) => value === values[0])) return 0
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - ddof))
}

/** One advantage a rollout by `ofGroup` (default GRPO), in their order; 0 for a rollout without a reward. */
export function groupAdvantages(
  rollouts: readonly Graded[],
  ofGroup: (rewards: readonly number[]) => readonly number[] = grpo,
): number[] {
  return overGroups(rollouts, ofGroup)
}

/** The standard deviation (ddof 1) of the rewards of each rollout's group. */
export function groupDeviations(rollouts: readonly Graded[]): number[] {
  return overGroups(rollouts, (rewards) => rewards.map(() => standardDeviation(rewards)))
}

function overGroups(rollouts: readonly Graded[], ofGroup: (rewards: readonly number[]) => readonly number[]): number[] {
  const members = new Map<string, number[]>()
  rollouts.forEach(({ group, reward }, i) => {
    if (reward === null) return
    const places = members.get(group)
    if (places === undefined) members.set(group, [i])
    else places.push(i)
  })
  const all = new Array<number>(rollouts.length).fill(0)
  for (const places of members.values()) {
    const values = ofGroup(places.map((i) => rollouts[i]!.reward!))
    places.forEach((i, k) => {
      all[i] = values[k]!
    })
  }
  return all
}
