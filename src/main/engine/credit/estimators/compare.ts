/** Two lists of credit on the same tokens: how far they agree in order and sign, and where they part. */

/** Ranks from 1, equal values sharing their mean rank. */
export function ranks(values: readonly number[]): number[] {
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
  const x = ranks(a)
  const y = ranks(b)
  const centre = (a.length + 1) / 2
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

/** Places by how far apart their ranks are, as shares 0 to 1 of all places; at most `count`, none where ranks agree. */
export function largestRankGaps(
  a: readonly number[],
  b: readonly number[],
  count: number,
): { readonly at: number; readonly ranks: readonly [number, number] }[] {
  const most = Math.max(1, a.length - 1)
  const x = ranks(a).map((rank) => (rank - 1) / most)
  const y = ranks(b).map((rank) => (rank - 1) / most)
  return a
    .map((_, at) => ({ at, ranks: [x[at]!, y[at]!] as const }))
    .filter(({ ranks: [p, q] }) => p !== q)
    .sort((one, other) => Math.abs(other.ranks[0] - other.ranks[1]) - Math.abs(one.ranks[0] - one.ranks[1]))
    .slice(0, count)
}
