/** Signed shares laid end to end: the positive ones to the right, then the negative ones back, so that the end is the sum. */

export interface ShareSegment {
  readonly index: number
  readonly share: number
  readonly from: number
  readonly to: number
}

export interface ShareBar {
  readonly positive: readonly ShareSegment[]
  readonly negative: readonly ShareSegment[]
  readonly rise: number
  readonly sum: number
  /** Shares that are not finite numbers, and so have no length. */
  readonly missing: number
}

export function shareBar(shares: readonly number[]): ShareBar {
  const positive: ShareSegment[] = []
  const negative: ShareSegment[] = []
  let rise = 0
  shares.forEach((share, index) => {
    if (!(share > 0) || !Number.isFinite(share)) return
    positive.push({ index, share, from: rise, to: rise + share })
    rise += share
  })
  let at = rise
  shares.forEach((share, index) => {
    if (!(share < 0) || !Number.isFinite(share)) return
    negative.push({ index, share, from: at, to: at + share })
    at += share
  })
  return { positive, negative, rise, sum: at, missing: shares.filter((share) => !Number.isFinite(share)).length }
}

/** From the least to the greatest that bars reach, so that bars of one scale can be set under each other. */
export function barEnds(bars: readonly Pick<ShareBar, 'rise' | 'sum'>[]): readonly [number, number] {
  return [
    Math.min(0, ...bars.map(({ sum }) => sum)),
    Math.max(1e-12, ...bars.map(({ rise, sum }) => Math.max(rise, sum))),
  ]
}
