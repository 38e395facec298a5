/**
 * The recursion that TD, GAE at every time scale, Comp-GAE, option credit and the Bellman credit of Gated-BEPO share.
 * What a step is and what it costs to cross one is the caller's.
 */

/** One entry a step. */
export interface Steps {
  readonly rewards: readonly number[]
  /** V before the step. */
  readonly values: readonly number[]
  /** V after it; never read where the step is terminal. */
  readonly nextValues: readonly number[]
  /** The episode ended with this step. */
  readonly terminal: readonly boolean[]
  /** What is recorded ends with this step although the episode does not: bootstraps, but lets no trace through. */
  readonly cut: readonly boolean[]
}

export interface Trace {
  readonly deltas: number[]
  readonly advantages: number[]
  /** advantages + values */
  readonly returns: number[]
}

/**
 *     δ_t = r_t + d_t (1 − terminal_t) V_{t+1} − V_t
 *     A_t = δ_t + d_t λ (1 − terminal_t)(1 − cut_t) A_{t+1}
 *
 * @param discounts d_t, one a step
 */
export function advantageTrace(steps: Steps, discounts: readonly number[], lambda: number): Trace {
  const { rewards, values, nextValues, terminal, cut } = steps
  for (const list of [values, nextValues, terminal, cut, discounts]) {
    if (list.length !== rewards.length) throw new RangeError(`${list.length} numbers for ${rewards.length} steps`)
  }
  const deltas = rewards.map((reward, t) => {
    return reward + (terminal[t] ? 0 : discounts[t]! * nextValues[t]!) - values[t]!
  })
  const advantages = [...deltas]
  for (let t = rewards.length - 2; t >= 0; t--) {
    if (!terminal[t] && !cut[t]) advantages[t]! += discounts[t]! * lambda * advantages[t + 1]!
  }
  return { deltas, advantages, returns: advantages.map((advantage, t) => advantage + values[t]!) }
}

/** How a chain ends: with the episode, or cut in a state of this value. */
export interface ChainEnd {
  readonly terminal: boolean
  readonly value: number
}

/** Steps of one unbroken chain. */
export function chainOf(rewards: readonly number[], values: readonly number[], end: ChainEnd): Steps {
  const last = rewards.length - 1
  return {
    rewards,
    values,
    nextValues: values.map((_, t) => (t === last ? end.value : values[t + 1]!)),
    terminal: rewards.map((_, t) => t === last && end.terminal),
    cut: rewards.map((_, t) => t === last && !end.terminal),
  }
}

export function constant(value: number, steps: { readonly length: number }): number[] {
  return Array<number>(steps.length).fill(value)
}
