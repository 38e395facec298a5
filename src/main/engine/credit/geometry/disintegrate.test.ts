/** What the disintegration claims, on gradients that are given: shares, their sum, and that a wrong part is noticed. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { disintegrate, type GradientSource, tokenShares, ZeroGradient } from './disintegrate.ts'
import { partsOf, type TrainedPosition } from './partition.ts'

const specs = (size: number) => [{ name: 'w', shape: [size], offset: 0, size }]

/** Gradients of the terms, one vector a position: everything else follows by addition. */
function given(terms: readonly (readonly number[])[], float: 'float32' | 'float64' = 'float64'): GradientSource {
  const size = terms[0]!.length
  const array = () => (float === 'float64' ? new Float64Array(size) : new Float32Array(size))
  const sumOf = (positions: readonly number[], into: Float32Array | Float64Array) => {
    for (let i = 0; i < size; i++) into[i] = positions.reduce((sum, position) => sum + terms[position]![i]!, 0)
  }
  return {
    float,
    size,
    buffer: () => ({ specs: specs(size), data: array() }),
    full: async ({ data }) => {
      sumOf(Array.from(terms.keys()), data)
      return 1
    },
    part: async (positions, { data }) => {
      sumOf(positions, data)
      return 1
    },
    derivatives: async ({ data }) => ({
      values: Float64Array.from(terms, (term) => term.reduce((sum, value, i) => sum + value * data[i]!, 0)),
      passes: 1,
    }),
  }
}

const places = (count: number): TrainedPosition[] =>
  Array.from({ length: count }, (_, i) => ({ rollout: i >> 1, id: `r${i >> 1}`, turn: 1, index: i % 2, segment: 0 }))
const byRow = (count: number) => partsOf(places(count), ({ id }) => id)

test('shares are projections on the whole, norms are not shares', async () => {
  // Two rollouts that pull apart: g_0 = (3, 1), g_1 = (−1, 1), g = (2, 2).
  const terms = [
    [1, 1],
    [2, 0],
    [-1, 0],
    [0, 1],
  ]
  const read = await disintegrate(given(terms), byRow(4))
  expect(read.parts.map(({ projected_share }) => projected_share)).toEqual([1, 0])
  expect(read.parts.map(({ positions }) => positions)).toEqual([2, 2])
  expect(read.parts[0]!.norm_share).toBeCloseTo(Math.sqrt(10 / 8), 15)
  expect(read.cancellation).toBeCloseTo((Math.sqrt(10) + Math.sqrt(2)) / Math.sqrt(8), 15)
  expect(read).toMatchObject({ projected_share_sum: 1, conservation_error: 0, backward_passes: 3 })
  const tokens = await tokenShares(given(terms))
  expect(Array.from(tokens.shares)).toEqual([0.5, 0.5, -0.25, 0.25].map((share) => expect.closeTo(share, 14)))
  expect(tokens).toMatchObject({ backward_passes: 1, forward_mode_passes: 1 })
})

test('whatever the partition, shares sum to one and nothing is missing', async () => {
  const vector = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 3, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(vector, { minLength: 2, maxLength: 12 }),
      fc.array(fc.nat(3), { minLength: 12, maxLength: 12 }),
      async (terms, colours) => {
        const source = given(terms)
        const parts = partsOf(places(terms.length), ({ rollout, index }) => `colour ${colours[rollout * 2 + index]}`)
        const read = await disintegrate(source, parts).catch((error: unknown) => error)
        if (read instanceof ZeroGradient) return
        const {
          parts: shares,
          projected_share_sum,
          conservation_error,
          cancellation,
        } = read as Awaited<ReturnType<typeof disintegrate>>
        const size = shares.reduce((sum, part) => sum + part.positions, 0)
        expect(size).toBe(terms.length)
        // Where nearly everything cancels, so do the digits.
        const slack = 1e-14 * (1 + cancellation ** 2)
        expect(Math.abs(projected_share_sum - 1)).toBeLessThan(slack)
        expect(conservation_error).toBeLessThan(slack)
        expect(cancellation).toBeGreaterThan(1 - 1e-12)
      },
    ),
  )
})

test('a part that is wrong anywhere shows in the conservation error', async () => {
  const terms = Array.from({ length: 6 }, (_, i) => [Math.cos(i), Math.sin(i), 1 + i])
  const honest = given(terms)
  const spoiled = (spoil: (data: Float64Array, positions: readonly number[]) => void): GradientSource => ({
    ...honest,
    part: async (positions, into) => {
      const passes = await honest.part(positions, into)
      spoil(into.data as Float64Array, positions)
      return passes
    },
  })
  const errorOf = async (source: GradientSource) => (await disintegrate(source, byRow(6))).conservation_error
  expect(await errorOf(honest)).toBeLessThan(1e-15)
  const once = (data: Float64Array, positions: readonly number[]) => positions[0] === 2 && data.fill(0)
  expect(await errorOf(spoiled(once))).toBeGreaterThan(0.1)
  expect(await errorOf(spoiled((data) => data.set([data[0]! * (1 + 1e-9)])))).toBeGreaterThan(1e-11)
  // The derivatives are a third computation: a wrong one shows as well.
  const halved: GradientSource = {
    ...honest,
    derivatives: async (direction) => {
      const { values, passes } = await honest.derivatives(direction)
      return { values: values.map((value, i) => (i === 3 ? value / 2 : value)), passes }
    },
  }
  expect((await tokenShares(halved)).conservation_error).toBeGreaterThan(0.01)
})

test('the whole gradient is not made from the parts', async () => {
  const calls: string[] = []
  const honest = given([
    [1, 2],
    [3, 4],
  ])
  const watched: GradientSource = {
    ...honest,
    full: (into) => {
      calls.push('full')
      return honest.full(into)
    },
    part: (positions, into) => {
      calls.push(`part ${positions}`)
      return honest.part(positions, into)
    },
  }
  const passes: string[] = []
  await disintegrate(watched, byRow(2), (done, all) => {
    passes.push(`${done}/${all}`)
  })
  expect(calls).toEqual(['full', 'part 0,1'])
  expect(passes).toEqual(['0/2', '1/2', '2/2'])
})

test('a gradient of zero has no shares, one that is not finite names its tensor', async () => {
  await expect(
    disintegrate(
      given([
        [1, 2],
        [-1, -2],
      ]),
      byRow(2),
    ),
  ).rejects.toBeInstanceOf(ZeroGradient)
  await expect(
    tokenShares(
      given([
        [0, 0],
        [0, 0],
      ]),
    ),
  ).rejects.toBeInstanceOf(ZeroGradient)
  await expect(
    disintegrate(
      given([
        [1, Number.NaN],
        [1, 1],
      ]),
      byRow(2),
    ),
  ).rejects.toThrow(/gradient of w is NaN at element 1/)
})

test('float32 parts are summed in float64', async () => {
  const terms = [
    [1, 1e-8],
    [0.1, 0.2],
  ]
  const read = await disintegrate(
    given(terms, 'float32'),
    partsOf(places(2), ({ index }) => `${index}`),
  )
  expect(read.summed.values()).toBeInstanceOf(Float64Array)
  expect(read.summed.values()[0]).toBe(1 + Math.fround(0.1))
})
