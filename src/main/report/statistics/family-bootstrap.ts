/**
 * 95 % percentile bootstrap of a mean over rows that come in families: whole families are drawn, because rows of one
 * family share their situation and are not independent. Deterministic: the draws depend only on the number of families.
 */

const replicates = 2000

/** Mulberry32: a small generator with a 32-bit state; enough for resampling, and the same everywhere. */
function uniform(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** @returns null where there are fewer than two families or a value is not finite */
export function familyBootstrap(
  rows: readonly { readonly family: string; readonly value: number }[],
): readonly [number, number] | null {
  const families = new Map<string, { sum: number; n: number }>()
  for (const row of rows) {
    if (!Number.isFinite(row.value)) return null
    const family = families.get(row.family) ?? { sum: 0, n: 0 }
    family.sum += row.value
    family.n += 1
    families.set(row.family, family)
  }
  const units = [...families.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, unit]) => unit)
  if (units.length < 2) return null
  const draw = uniform(units.length)
  const means: number[] = []
  for (let replicate = 0; replicate < replicates; replicate++) {
    let sum = 0
    let n = 0
    for (let index = 0; index < units.length; index++) {
      const unit = units[Math.floor(draw() * units.length)]!
      sum += unit.sum
      n += unit.n
    }
    means.push(sum / n)
  }
  means.sort((a, b) => a - b)
  return [quantile(means, 0.025), quantile(means, 0.975)]
}

/** Linear interpolation between order statistics. */
function quantile(sorted: readonly number[], share: number): number {
  const position = share * (sorted.length - 1)
  const low = Math.floor(position)
  const from = sorted[low]!
  const to = sorted[Math.min(low + 1, sorted.length - 1)]!
  return from + (to - from) * (position - low)
}
