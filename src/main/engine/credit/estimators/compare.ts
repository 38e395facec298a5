/** Two lists of credit on the same tokens: how far they agree in order and sign, and where they part. */

/** Ranks from 1, equal values sharing their mean rank. @throws RangeError on NaN, which has no rank */
export function ranks(values: readonly number[]): number[] {
  if (values.some(Number.isNaN)) throw new RangeError('NaN has no rank')
  const order = values.map((_, i) => i).sort((i, j) => values[i]! - values[j]!)
  const result = Array<number>(values.length)
  for (let from = 0; from < order.length; ) {
    let to = from
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++
    for (let n = from; n < to; n++) result[order[n]!] = (from + 1 + to) / 2
    from = to
  }
  return result
}

/** Spearman's rank correlation: Pearson's of the ranks. Null where one list is constant or empty. */
export function spearman(a: readonly number[], b: readonly number[]): number | null {
  return rankCorrelation(ranks(a), ranks(b))
}

/** The same from ranks, for lists that are compared with many others. */
export function rankCorrelation(x: readonly number[], y: readonly number[]): number | null {
  const centre = (x.length + 1) / 2
  let xy = 0
  let xx = 0
  let yy = 0
  for (let i = 0; i < x.length; i++) {
    const dx = x[i]! - centre
    const dy = y[i]! - centre
    xy += dx * dy
    xx += dx * dx
    yy += dy * dy
  }
  if (xx === 0 || yy === 0) return null
  return Math.min(1, Math.max(-1, xy / Math.sqrt(xx * yy)))
}

/** Share of places with equal signs, 0 being a sign of its own, and the number of places with opposite ones. */
export function signAgreement(a: readonly number[], b: readonly number[]): { share: number | null; opposite: number } {
  if (a.length === 0) return { share: null, opposite: 0 }
  const equal = a.filter((value, i) => Math.sign(value) === Math.sign(b[i]!)).length
  return {
    share: equal / a.length,
    opposite: a.filter((value, i) => Math.sign(value) * Math.sign(b[i]!) === -1).length,
  }
}

export interface RankDistance {
  readonly at: number
  /** As shares of all places, 0 the lowest rank and 1 the highest. */
  readonly ranks: readonly [number, number]
}

/** Places by how far apart their ranks are, farthest first; at most `count`, none where ranks agree. */
export function largestRankGaps(x: readonly number[], y: readonly number[], count: number): RankDistance[] {
  const farthest: { at: number; gap: number }[] = []
  for (let at = 0; at < x.length; at++) {
    const gap = Math.abs(x[at]! - y[at]!)
    if (gap === 0 || (farthest.length === count && gap <= (farthest.at(-1)?.gap ?? Infinity))) continue
    const place = farthest.findIndex((other) => other.gap < gap)
    farthest.splice(place === -1 ? farthest.length : place, 0, { at, gap })
    if (farthest.length > count) farthest.pop()
  }
  const share = (rank: number) => (rank - 1) / Math.max(1, x.length - 1)
  return farthest.map(({ at }) => ({ at, ranks: [share(x[at]!), share(y[at]!)] }))
}
