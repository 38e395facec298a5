/** One head's update by hand, and the identity and bound it rests on over random heads. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { headUpdate, massOn } from './attention-update.ts'

test('by hand: half of the weight on one example', () => {
  // o′ = (2, 0), e = (0, 4), o = (1, 2).
  const { mass, output, update } = headUpdate([0.25, 0.5, 0.25], [1, 0, 0, 4, 3, 0], { start: 1, end: 2 })
  expect(mass).toBe(0.5)
  expect(output).toBeCloseTo(Math.sqrt(5), 14)
  expect(update!.norm).toBeCloseTo(Math.sqrt(5), 14)
  // One column is its own mean: the bound is met.
  expect(update!.bound).toBeCloseTo(0.5 * Math.sqrt(20), 14)
})

test('no examples: no mass and no update, exactly; nothing but examples: no output without them', () => {
  const values = [0.1, 0.2, 0.3, -0.4, 0.5, 0.7]
  const none = headUpdate([0.2, 0.3, 0.5], values, { start: 1, end: 1 })
  expect(none).toMatchObject({ mass: 0, update: { norm: 0, bound: 0 } })
  expect(headUpdate([0, 1, 0], values, { start: 1, end: 2 })).toMatchObject({ mass: 1, update: null })
})

const positive = fc.double({ min: 1e-6, max: 1, noNaN: true })
const number = fc.double({ min: -10, max: 10, noNaN: true })

test('‖o − o′‖ = α‖e − o′‖ ≤ α max ‖v − o′‖, whatever the head', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(positive, number, number), { minLength: 2, maxLength: 12 }),
      fc.nat(),
      fc.nat(),
      (columns, a, b) => {
        const end = 1 + (a % (columns.length - 1))
        const start = b % end
        const weights = columns.map(([w]) => w)
        const { mass, update } = headUpdate(
          weights,
          columns.flatMap(([, x, y]) => [x, y]),
          { start, end },
        )
        const inside = columns.slice(start, end)
        const outside = columns.filter((_, j) => j < start || j >= end)
        const total = (part: typeof columns) => part.reduce((sum, [w]) => sum + w, 0)
        const centre = (part: typeof columns) =>
          [1, 2].map((d) => part.reduce((sum, column) => sum + column[0] * column[d]!, 0) / total(part))
        expect(mass).toBeCloseTo(total(inside) / total(columns), 12)
        expect(mass).toBe(massOn(weights, { start, end }))
        const [e, rest] = [centre(inside), centre(outside)]
        expect(update!.norm).toBeCloseTo(mass * Math.hypot(e[0]! - rest[0]!, e[1]! - rest[1]!), 9)
        expect(update!.norm).toBeLessThanOrEqual(update!.bound + 1e-9)
      },
    ),
    { seed: 49, numRuns: 300 },
  )
})
