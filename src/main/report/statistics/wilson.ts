/** Wilson score interval of a share: keeps inside [0, 1] and is honest at 0 of n and n of n. (Wilson 1927) */

/** The 97.5 % quantile of the normal distribution: 95 % two-sided. */
const z = 1.959963984540054

/** @returns lower and upper bound of the 95 % interval of successes/n; null where n is 0 */
export function wilsonInterval(successes: number, n: number): readonly [number, number] | null {
  if (n <= 0) return null
  const share = successes / n
  const centre = (share + (z * z) / (2 * n)) / (1 + (z * z) / n)
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))
  // At the ends the bound is exactly 0 or 1; rounding must not say otherwise.
  return [successes === 0 ? 0 : centre - half, successes === n ? 1 : centre + half]
}
