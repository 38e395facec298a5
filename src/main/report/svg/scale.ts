/** Linear scales and ticks at 1, 2 or 5 times a power of ten. */

export interface Scale {
  readonly domain: readonly [number, number]
  readonly ticks: readonly number[]
  /** Distance between ticks: decides how many decimals a tick label needs. */
  readonly step: number
  readonly at: (value: number) => number
}

/** The smallest 1-2-5 step that gives at most `count` intervals over `span`. */
export function niceStep(span: number, count: number): number {
  const raw = span / count
  const power = 10 ** Math.floor(Math.log10(raw))
  const fraction = raw / power
  // A hair of tolerance: 0.3 / 3 must count as 0.1.
  const nice = fraction <= 1 + 1e-9 ? 1 : fraction <= 2 + 1e-9 ? 2 : fraction <= 5 + 1e-9 ? 5 : 10
  return nice * power
}

/** Every multiple of `step` inside the domain, computed from integers so that 0.3 is 0.3. */
export function ticksBetween(low: number, high: number, step: number): number[] {
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))
  const ticks: number[] = []
  for (let index = first; index <= last; index++) {
    const tick = decimals > 100 ? index * step : Number((index * step).toFixed(Math.min(100, decimals)))
    ticks.push(tick === 0 ? 0 : tick)
  }
  return ticks
}

/** Smallest and largest finite value, widened where they are equal (a constant series is drawn flat, in the middle). */
export function extent(values: readonly (number | null)[]): readonly [number, number] {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue
    if (value < low) low = value
    if (value > high) high = value
  }
  if (low > high) return [0, 1]
  if (low === high) {
    const margin = low === 0 ? 1 : Math.abs(low) * 0.5
    return [low - margin, high + margin]
  }
  return [low, high]
}

/**
 * @param range pixel positions of the domain's ends
 * @param count the largest number of tick intervals
 * @param whole ticks only at integers (steps, iterations)
 * @param widen round the domain outwards to whole ticks
 */
export function linearScale(
  domain: readonly [number, number],
  range: readonly [number, number],
  options: { readonly count?: number; readonly whole?: boolean; readonly widen?: boolean } = {},
): Scale {
  let [low, high] = domain
  let step = niceStep(high - low, options.count ?? 5)
  if (options.whole === true) step = Math.max(1, step)
  if (options.widen ?? true) {
    low = Math.floor(low / step + 1e-9) * step
    high = Math.ceil(high / step - 1e-9) * step
  }
  const factor = (range[1] - range[0]) / (high - low)
  return {
    domain: [low, high],
    ticks: ticksBetween(low, high, step),
    step,
    at: (value) => range[0] + (value - low) * factor,
  }
}
