/** Weights against golden numbers, against the problem they solve, and against their bounds. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allocate } from './allocation.ts'

interface Case {
  name: string
  utility: number[]
  content_mask: boolean[]
  lambda: number
  utility_std: number[]
  tau: number
  weights: number[]
}
const golden = new URL('../../../../../test/golden/datc/datc.json', import.meta.url).pathname
const { allocation_cases: cases } = JSON.parse(readFileSync(golden, 'utf8')) as { allocation_cases: Case[] }

test.each(cases)('golden: $name', (expected) => {
  const got = allocate(expected.utility, expected.content_mask, expected.lambda)
  expected.weights.forEach((weight, t) => {
    expect(Math.abs(got.weights[t]! - weight)).toBeLessThan(1e-8)
    expect(Math.abs(got.utilities[t]! - expected.utility_std[t]!)).toBeLessThan(1e-10)
  })
  expect(got.temperature).toBeCloseTo(expected.tau, 10)
})

const responses = fc
  .array(fc.record({ u: fc.double({ min: -5, max: 5, noNaN: true }), content: fc.boolean() }), { minLength: 1 })
  .map((tokens) => ({ utility: tokens.map((t) => t.u), content: tokens.map((t) => t.content) }))
const ceiling = fc.double({ min: 1.02, max: 16, noNaN: true })

describe('properties', () => {
  test('mean 1 and within the bounds over the content, exactly 1 outside, in the order of the utilities', () => {
    fc.assert(
      fc.property(responses, ceiling, ({ utility, content }, maxWeight) => {
        const { weights } = allocate(utility, content, maxWeight)
        const inside = weights.filter((_, t) => content[t])
        expect(weights.filter((weight, t) => !content[t] && weight !== 1)).toEqual([])
        if (inside.length === 0) return
        expect(inside.reduce((sum, w) => sum + w, 0) / inside.length).toBeCloseTo(1, 12)
        for (const weight of inside) {
          expect(weight).toBeLessThanOrEqual(maxWeight)
          expect(weight).toBeGreaterThanOrEqual(1 / maxWeight)
        }
        for (let a = 0; a < utility.length; a++)
          for (let b = 0; b < utility.length; b++)
            if (content[a] && content[b] && utility[a]! > utility[b]!)
              expect(weights[a]!).toBeGreaterThanOrEqual(weights[b]!)
      }),
    )
  })

  test('no other weights of mean 1 do better on Σ w u − τ Σ w log w', () => {
    fc.assert(
      fc.property(
        responses,
        ceiling,
        fc.infiniteStream(fc.double({ min: 0.1, max: 3, noNaN: true })),
        (r, λ, stream) => {
          const { weights, utilities, temperature } = allocate(r.utility, r.content, λ)
          const places = r.content.flatMap((inside, t) => (inside ? [t] : []))
          const value = (w: readonly number[]) =>
            places.reduce((sum, t, i) => sum + w[i]! * utilities[t]! - temperature * w[i]! * Math.log(w[i]!), 0)
          const others = places.map(() => stream.next().value as number)
          const total = others.reduce((sum, w) => sum + w, 0)
          const rival = others.map((w) => (w * places.length) / total)
          expect(value(places.map((t) => weights[t]!))).toBeGreaterThanOrEqual(value(rival) - 1e-9)
        },
      ),
    )
  })

  test('utilities that only differ in scale and shift give the same weights', () => {
    const { weights } = allocate([3, 1, 2, 5], [true, true, true, true], 4)
    const scaled = allocate(
      [30, 10, 20, 50].map((u) => u + 7),
      [true, true, true, true],
      4,
    ).weights
    scaled.forEach((weight, t) => {
      expect(weight).toBeCloseTo(weights[t]!, 7)
    })
  })

  test('a ceiling of 1 and a utility that is no number are refused', () => {
    expect(() => allocate([1, 2], [true, true], 1)).toThrow(/must exceed 1/)
    expect(() => allocate([1, Number.NaN], [true, true], 4)).toThrow(/utility 1 is NaN/)
    expect(allocate([1, Number.NaN, 2], [true, false, true], 4).weights[1]).toBe(1)
  })
})
