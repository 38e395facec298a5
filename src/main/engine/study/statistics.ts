/** Descriptive statistics and intervals for a study's results: stable sums, and draws that anybody can repeat. */
import { PythonRandom } from '../random/python-random.ts'

/** Sum with Neumaier's compensation: the error does not grow with the number of terms. */
export function sum(values: Iterable<number>): number {
  let total = 0
  let lost = 0
  for (const value of values) {
    const next = total + value
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total
    total = next
  }
  return total + lost
}

/** Sums of the first 0, 1, … n values, each compensated as `sum`: n + 1 numbers in one pass. */
export function runningSums(values: readonly number[]): number[] {
  const sums = [0]
  let total = 0
  let lost = 0
  for (const value of values) {
    const next = total + value
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total
    total = next
    sums.push(total + lost)
  }
  return sums
}

/** Arithmetic mean. Throws RangeError on no values, which have none. */
export function mean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('no values have no mean')
  return sum(values) / values.length
}

/** Sum of squared deviations over n - ddof (two passes). Throws RangeError where n <= ddof. */
export function variance(values: readonly number[], ddof: 0 | 1): number {
  if (values.length <= ddof) throw new RangeError(`${values.length} values have no variance with ddof ${ddof}`)
  const centre = mean(values)
  return sum(values.map((value) => (value - centre) ** 2)) / (values.length - ddof)
}

export function standardDeviation(values: readonly number[], ddof: 0 | 1): number {
  return Math.sqrt(variance(values, ddof))
}

/** Quantile 0 <= p <= 1 with linear interpolation between order statistics (NumPy's default, type 7). */
export function quantile(values: readonly number[], p: number): number {
  if (values.length === 0) throw new RangeError('no values have no quantile')
  if (!(p >= 0 && p <= 1)) throw new RangeError(`a quantile's level lies in 0..1, not ${p}`)
  const sorted = values.toSorted((a, b) => a - b)
  const position = (sorted.length - 1) * p
  const below = Math.floor(position)
  const low = sorted[below]!
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!
  return low + (high - low) * (position - below)
}

export interface BootstrapSettings {
  readonly seed: number
  /** Default 10,000. */
  readonly resamples?: number
  /** Default 0.95. */
  readonly level?: number
}

/**
 * Percentile bootstrap interval of the mean over independent units: each resample draws n units with replacement,
 * unit by unit with CPython's `Random(seed).randrange(n)`, so that the interval can be recomputed elsewhere.
 * Resampling units that are not independent (rows of one context) would make the interval too narrow.
 */
export function bootstrapMeanInterval(units: readonly number[], settings: BootstrapSettings): [number, number] {
  return bootstrapInterval(units, mean, settings)
}

/** The events of one unit (a family of tasks) and what they were counted among. */
export interface Counted {
  readonly events: number
  readonly trials: number
}

/**
 * The same of the pooled rate Σ events / Σ trials: whole units are drawn, so units of other sizes weigh as they do in the
 * rate itself. Every unit needs a trial.
 */
export function bootstrapRateInterval(units: readonly Counted[], settings: BootstrapSettings): [number, number] {
  const rate = (drawn: readonly Counted[]) => {
    let [events, trials] = [0, 0]
    for (const unit of drawn) {
      events += unit.events
      trials += unit.trials
    }
    return events / trials
  }
  return bootstrapInterval(units, rate, settings)
}

function bootstrapInterval<T>(
  units: readonly T[],
  statistic: (drawn: readonly T[]) => number,
  { seed, resamples = 10_000, level = 0.95 }: BootstrapSettings,
): [number, number] {
  const n = units.length
  if (n === 0) throw new RangeError('no units have no interval')
  const random = new PythonRandom(seed)
  const drawn = Array.from({ length: resamples }, () =>
    statistic(Array.from({ length: n }, () => units[random.randrange(n)]!)),
  )
  const tail = (1 - level) / 2
  return [quantile(drawn, tail), quantile(drawn, 1 - tail)]
}

/** 97.5 % quantile of the standard normal. */
const z95 = 1.959963984540054

/** Wilson's score interval (95 % unless `z` says otherwise) of a proportion. Throws RangeError on an empty sample. */
export function wilsonInterval(successes: number, trials: number, z: number = z95): [number, number] {
  if (!(trials > 0 && successes >= 0 && successes <= trials)) {
    throw new RangeError(`${successes} of ${trials} is no proportion`)
  }
  const p = successes / trials
  const z2 = z * z
  const scale = 1 + z2 / trials
  const centre = (p + z2 / (2 * trials)) / scale
  const half = (z / scale) * Math.sqrt((p * (1 - p)) / trials + z2 / (4 * trials * trials))
  // At the ends the interval touches 0 or 1 exactly, which rounding would miss.
  return [successes === 0 ? 0 : centre - half, successes === trials ? 1 : centre + half]
}
