/** Outcomes of one group against what a policy of this quality gets: the group-relative baselines, as plain formulas. */
import { mean, runningSums, standardDeviation } from '../../study/statistics.ts'

/** `A_i = R_i − mean_{j≠i} R_j`; a group of one gives 0. Kool et al. 2019; Ahmadian et al. 2024 (RLOO). */
export function leaveOneOut(rewards: readonly number[]): number[] {
  // Also a group of one.
  if (allEqual(rewards)) return rewards.map(() => 0)
  const before = runningSums(rewards)
  const after = runningSums(rewards.toReversed()).reverse()
  return rewards.map((reward, i) => reward - (before[i]! + after[i + 1]!) / (rewards.length - 1))
}

/** `A_i = R_i − mean(R)`, which is (G−1)/G of the leave-one-out advantage. */
export function meanCentred(rewards: readonly number[]): number[] {
  if (allEqual(rewards)) return rewards.map(() => 0)
  const centre = mean(rewards)
  return rewards.map((reward) => reward - centre)
}

/** `A_i = (R_i − mean(R)) / (std(R) + ε)`; equal rewards and a group of one give 0. Shao et al. 2024 (GRPO). */
export function groupNormalised(rewards: readonly number[], ddof: 0 | 1, epsilon: number): number[] {
  if (allEqual(rewards)) return rewards.map(() => 0)
  const scale = standardDeviation(rewards, ddof) + epsilon
  return meanCentred(rewards).map((centred) => centred / scale)
}

/** Rounding gives equal numbers a deviation near 1e-17, which a small ε would blow up. */
export function allEqual(values: readonly number[]): boolean {
  return values.every((value) => value === values[0])
}
