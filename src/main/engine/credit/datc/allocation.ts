/**
 * Shares of a response's credit among its tokens: of all positive weights of mean 1, those that maximise
 * Σ w u − τ·KL(w ‖ uniform) are w = n·softmax(u/τ). τ is raised from 1 until every weight lies in [1/λ, λ].
 */

/** Added to the standard deviation, so that utilities without spread give weights of 1. */
const UTILITY_EPSILON = 1e-8
const BISECTIONS = 60

export interface Allocation {
  /** Standardised utilities; 0 outside the content. */
  readonly utilities: readonly number[]
  readonly temperature: number
  /** Mean 1 over the content; exactly 1 outside it. */
  readonly weights: readonly number[]
}

/**
 * @param utility one number a token
 * @param content which tokens take part
 * @param maxWeight λ > 1: weights lie in [1/λ, λ]
 * @throws RangeError for a λ that leaves no room, or a utility that is not finite
 */
export function allocate(utility: readonly number[], content: readonly boolean[], maxWeight: number): Allocation {
  if (!(maxWeight > 1)) throw new RangeError(`the largest weight must exceed 1, not ${maxWeight}`)
  const places = utility.flatMap((_, t) => (content[t] === true ? [t] : []))
  const standard = standardised(places.map((t) => utility[t]!))
  const { temperature, weights } = feasible(standard, maxWeight)
  const spread = (values: readonly number[], outside: number): number[] => {
    const whole = new Array<number>(utility.length).fill(outside)
    places.forEach((t, i) => {
      whole[t] = values[i]!
    })
    return whole
  }
  return { utilities: spread(standard, 0), temperature, weights: spread(weights, 1) }
}

/** (u − mean)/(population deviation + ε); all 0 where the utilities are exactly equal. */
function standardised(values: readonly number[]): number[] {
  const bad = values.findIndex((value) => !Number.isFinite(value))
  if (bad !== -1) throw new RangeError(`utility ${bad} is ${values[bad]}`)
  if (values.every((value) => value === values[0])) return values.map(() => 0)
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
  return values.map((value) => (value - mean) / (deviation + UTILITY_EPSILON))
}

/** Doubles τ until the bounds hold, then bisects between the last that failed and the first that held. */
function feasible(utilities: readonly number[], maxWeight: number): { temperature: number; weights: number[] } {
  let high = 1
  let weights = atTemperature(utilities, high)
  if (within(weights, maxWeight)) return { temperature: high, weights }
  let low = high
  while (!within(weights, maxWeight)) {
    low = high
    high *= 2
    weights = atTemperature(utilities, high)
  }
  for (let k = 0; k < BISECTIONS; k++) {
    const middle = (low + high) / 2
    const tried = atTemperature(utilities, middle)
    if (within(tried, maxWeight)) [high, weights] = [middle, tried]
    else low = middle
  }
  return { temperature: high, weights }
}

const within = (weights: readonly number[], maxWeight: number) =>
  weights.every((weight) => weight <= maxWeight && weight >= 1 / maxWeight)

function atTemperature(utilities: readonly number[], temperature: number): number[] {
  const top = utilities.reduce((most, u) => Math.max(most, u), -Infinity)
  const shares = utilities.map((u) => Math.exp((u - top) / temperature))
  const total = shares.reduce((sum, share) => sum + share, 0)
  return shares.map((share) => (utilities.length * share) / total)
}
