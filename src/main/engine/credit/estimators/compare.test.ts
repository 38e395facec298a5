/** Rank correlation by its definitions, agreement of signs, and the places that lie farthest apart. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { largestRankGaps, ranks, signAgreement, spearman } from './compare.ts'

const number = fc.integer({ min: -200, max: 200 }).map((n) => n / 100)

describe('comparison', () => {
  test('Spearman by definition: 1 − 6Σd²/(n(n² − 1)) without ties; Pearson of mean ranks with them', () => {
    expect(spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])).toBeCloseTo(1 - (6 * 4) / (5 * 24), 12)
    // Ranks 1.5, 1.5, 3, 4 and 1, 2, 3.5, 3.5.
    const d = [1.5, 1.5, 3, 4].map((rank, i) => [rank - 2.5, [1, 2, 3.5, 3.5][i]! - 2.5] as const)
    const product = (i: 0 | 1, j: 0 | 1) => d.reduce((sum, pair) => sum + pair[i] * pair[j], 0)
    const expected = product(0, 1) / Math.sqrt(product(0, 0) * product(1, 1))
    expect(spearman([7, 7, 8, 9], [0, 1, 5, 5])).toBeCloseTo(expected, 12)
    expect(spearman([1, 1], [2, 3])).toBeNull()
    expect(spearman([], [])).toBeNull()
  })

  test('is 1 for any increasing map and −1 for any decreasing one', () => {
    fc.assert(
      fc.property(fc.uniqueArray(number, { minLength: 2, maxLength: 30 }), (list) => {
        expect(spearman(list, list.map(Math.exp))).toBeCloseTo(1, 12)
        expect(
          spearman(
            list,
            list.map((value) => -(value ** 3)),
          ),
        ).toBeCloseTo(-1, 12)
      }),
    )
  })

  test('NaN has no rank, and does not hang the search for one', () => {
    expect(() => ranks([1, Number.NaN, 2])).toThrow(RangeError)
  })

  test('signs: 0 is one of its own', () => {
    expect(signAgreement([1, -2, 0, 0, 3], [2, 2, 0, 1, -1])).toEqual({ share: 2 / 5, opposite: 2 })
    expect(signAgreement([], [])).toEqual({ share: null, opposite: 0 })
  })

  test('the farthest places are those of a full sort', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(number, number), { maxLength: 20 }),
        fc.integer({ min: 0, max: 6 }),
        (pairs, count) => {
          const [x, y] = [ranks(pairs.map(([a]) => a)), ranks(pairs.map(([, b]) => b))]
          const gaps = x.map((rank, i) => Math.abs(rank - y[i]!)).filter((gap) => gap > 0)
          const found = largestRankGaps(x, y, count)
          expect(found.map(({ at }) => Math.abs(x[at]! - y[at]!))).toEqual(gaps.sort((a, b) => b - a).slice(0, count))
          for (const { ranks: shares } of found) for (const share of shares) expect(share >= 0 && share <= 1).toBe(true)
        },
      ),
    )
  })
})
