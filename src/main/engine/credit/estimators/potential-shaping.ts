/** Potential-based shaping: the one kind of added reward that cannot change which policy is best. */

/**
 * `r'_t = r_t + γΦ(s_{t+1}) − Φ(s_t)`. Ng, Harada and Russell 1999.
 * @param potentials Φ before each step and after the last one, which is 0 where the episode ended there
 */
export function shapedRewards(rewards: readonly number[], potentials: readonly number[], gamma: number): number[] {
  return rewards.map((reward, t) => reward + potentialDifference(potentials[t]!, potentials[t + 1]!, gamma))
}

/** `γΦ(s') − Φ(s)` */
export function potentialDifference(before: number, after: number, gamma: number): number {
  return gamma * after - before
}

/** `V − Φ`: with shaped rewards these values give the TD residuals and advantages of the rewards without shaping. */
export function shapedValues(values: readonly number[], potentials: readonly number[]): number[] {
  return values.map((value, t) => value - potentials[t]!)
}

/**
 * Largest distance of added rewards from the differences of the recorded potentials; 0 where the shaping is the
 * potentials' own.
 */
export function distanceFromPotential(added: readonly number[], potentials: readonly number[], gamma: number): number {
  return added.reduce(
    (most, reward, t) =>
      Math.max(most, Math.abs(reward - potentialDifference(potentials[t]!, potentials[t + 1]!, gamma))),
    0,
  )
}
