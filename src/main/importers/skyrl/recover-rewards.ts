/**
 * Token rewards out of what a trainer keeps of them. SkyRL drops the rewards before it dumps a batch, but returns and
 * values determine them wherever the estimator can be inverted. Rows run over the whole width of the dump, since a
 * token's successor may be a padded place that the trainer read as well.
 */

export const recoveryEstimators = ['gae', 'reinforce++', 'grpo', 'rloo'] as const
export type RecoveryEstimator = (typeof recoveryEstimators)[number]

/**
 * GAE: A′ = returns − V before whitening, and A′_t = r_t + γV_{t+1} − V_t + γλA′_{t+1}, so
 * r_t = A′_t − γλA′_{t+1} − γV_{t+1} + V_t. Nothing follows the last place of a row.
 */
export function rewardsOfGae(
  returns: readonly number[],
  values: readonly number[],
  gamma: number,
  lambda: number,
): number[] {
  const value = (t: number) => values[t] ?? 0
  const advantage = (t: number) => (returns[t] ?? 0) - value(t)
  return returns.map((_, t) => advantage(t) - gamma * lambda * advantage(t + 1) - gamma * value(t + 1) + value(t))
}

/** REINFORCE++: G_t = r_t + γG_{t+1}, begun anew at every place outside the response, so r_t = G_t − γG_{t+1}. */
export function rewardsOfReturns(returns: readonly number[], response: readonly boolean[], gamma: number): number[] {
  const following = (t: number) => (response[t] === true ? (returns[t] ?? 0) : 0)
  return returns.map((value, t) => value - gamma * following(t + 1))
}

/**
 * GRPO and RLOO keep one number a rollout, A = a·R + b with a and b of its group, so the score R is known up to that map
 * only. What is given is the map's simplest inverse, with mean 0 in the group: A itself for GRPO (a = 1/(std + ε)), and
 * A·(n − 1)/n = R − mean for RLOO (a = n/(n − 1)).
 */
export function centredScore(estimator: 'grpo' | 'rloo', advantage: number, groupSize: number): number {
  return estimator === 'grpo' ? advantage : (advantage * (groupSize - 1)) / groupSize
}
