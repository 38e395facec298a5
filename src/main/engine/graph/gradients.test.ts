/** Every primitive's two derivative rules against central differences in float64. */
import { expect, test } from 'vitest'
import { resolveDevice } from '../runtime/device.ts'
import { Session, tensor } from '../runtime/session.ts'
import type { Value } from './emitter.ts'
import { Graph } from './graph.ts'
import { type PrimitiveName, primitives } from './primitives/index.ts'
import { sizeOf } from './shape.ts'

interface Case {
  /** Shapes of the differentiable inputs; values are drawn from a fixed sequence. */
  readonly inputs: readonly (readonly number[])[]
  readonly build: (g: Graph, x: readonly Value[]) => Value
  readonly values?: (draw: () => number) => number
}

const ids = (g: Graph, values: readonly number[], shape: readonly number[]) =>
  g.constant('ids', shape, { raw: new Uint8Array(BigInt64Array.from(values, BigInt).buffer) }, 'int64')
const mask = (g: Graph, values: readonly number[], shape: readonly number[]) =>
  g.constant('mask', shape, { raw: Uint8Array.from(values) }, 'bool')
const table = (g: Graph, name: string, f: (angle: number) => number) =>
  g.constant(name, [6, 2], {
    raw: new Uint8Array(
      Float64Array.from({ length: 12 }, (_, i) => f(Math.floor(i / 2) * (i % 2 === 0 ? 1 : 0.1))).buffer,
    ),
  })

const cases: Record<PrimitiveName, readonly Case[]> = {
  add: [
    { inputs: [[2, 3], [3]], build: (g, [a, b]) => g.add(a!, b!) },
    {
      inputs: [
        [2, 1, 3],
        [4, 1],
      ],
      build: (g, [a, b]) => g.add(a!, b!),
    },
  ],
  sub: [
    {
      inputs: [
        [2, 3],
        [1, 3],
      ],
      build: (g, [a, b]) => g.sub(a!, b!),
    },
  ],
  mul: [
    { inputs: [[2, 3], [3]], build: (g, [a, b]) => g.mul(a!, b!) },
    { inputs: [[3]], build: (g, [a]) => g.mul(a!, a!) },
  ],
  minimum: [
    {
      inputs: [
        [2, 3],
        [2, 3],
      ],
      build: (g, [a, b]) => g.minimum(a!, b!),
    },
  ],
  exp: [{ inputs: [[2, 3]], build: (g, [x]) => g.exp(x!) }],
  log: [{ inputs: [[2, 3]], build: (g, [x]) => g.log(x!), values: (draw) => 0.5 + draw() ** 2 }],
  square: [{ inputs: [[2, 3]], build: (g, [x]) => g.square(x!) }],
  scale: [{ inputs: [[2, 3]], build: (g, [x]) => g.scale(x!, -1.7) }],
  silu: [{ inputs: [[2, 3]], build: (g, [x]) => g.silu(x!) }],
  logSigmoid: [{ inputs: [[2, 3]], build: (g, [x]) => g.logSigmoid(x!), values: (draw) => 20 * draw() }],
  clip: [{ inputs: [[3, 5]], build: (g, [x]) => g.clip(x!, -0.4, 0.3) }],
  select: [{ inputs: [[2, 3]], build: (g, [x]) => g.select(mask(g, [1, 0, 1, 1, 0, 0], [2, 3]), x!) }],
  reshape: [{ inputs: [[2, 6]], build: (g, [x]) => g.reshape(x!, [3, 4]) }],
  transpose: [{ inputs: [[2, 3, 4]], build: (g, [x]) => g.transpose(x!, [2, 0, 1]) }],
  sum: [
    { inputs: [[2, 3, 4]], build: (g, [x]) => g.sum(x!, [1]) },
    { inputs: [[2, 3]], build: (g, [x]) => g.sum(x!) },
    { inputs: [[2, 3]], build: (g, [x]) => g.sum(x!, [-1]) },
  ],
  slice: [
    { inputs: [[2, 5, 2]], build: (g, [x]) => g.slice(x!, 1, 1, 3) },
    { inputs: [[2, 5]], build: (g, [x]) => g.slice(x!, 1, 0, 2) },
    { inputs: [[2, 5]], build: (g, [x]) => g.slice(x!, 1, 3, 2) },
  ],
  concat: [
    {
      inputs: [
        [2, 3],
        [2, 1],
      ],
      build: (g, [a, b]) => g.concat([a!, b!], 1),
    },
  ],
  // A repeated id: its row's gradient is the sum of both uses.
  embed: [{ inputs: [[5, 3]], build: (g, [t]) => g.embed(t!, ids(g, [4, 1, 4, 0], [2, 2])) }],
  linear: [
    {
      inputs: [
        [3, 4],
        [2, 4],
      ],
      build: (g, [x, w]) => g.linear(x!, w!, 1.5),
    },
  ],
  matmul: [
    {
      inputs: [
        [2, 3, 4],
        [2, 4, 5],
      ],
      build: (g, [a, b]) => g.matmul(a!, b!, { alpha: 0.7 }),
    },
    {
      inputs: [
        [2, 2, 3, 4],
        [2, 2, 5, 4],
      ],
      build: (g, [a, b]) => g.matmul(a!, b!, { transB: true }),
    },
  ],
  softmax: [{ inputs: [[2, 3, 4]], build: (g, [x]) => g.softmax(x!) }],
  rmsNorm: [{ inputs: [[2, 3, 4], [4]], build: (g, [x, w]) => g.rmsNorm(x!, w!, 1e-6) }],
  rotary: [
    {
      inputs: [[2, 2, 3, 4]],
      build: (g, [x]) =>
        g.rotary(
          x!,
          ids(g, [0, 1, 2, 2, 3, 5], [2, 3]),
          table(g, 'cos', Math.cos),
          table(g, 'sin', Math.sin),
          table(g, 'nsin', (a) => -Math.sin(a)),
        ),
    },
  ],
  tokenLogProb: [
    {
      inputs: [
        [3, 4],
        [5, 4],
      ],
      build: (g, [h, w]) => g.tokenLogProb(h!, w!, ids(g, [4, 0, 4], [3])),
    },
  ],
}

/** A fixed sequence in (-1, 1), irregular enough that no two elements tie. */
function sequence(): () => number {
  let state = 12345
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return (state / 2147483648) * 2 - 1
  }
}

const cpu = resolveDevice('cpu', 1)
const step = 1e-5
/** Central differences in float64 with this step are good to about step² times the third derivative. */
const tolerance = 2e-8

for (const name of Object.keys(primitives) as PrimitiveName[]) {
  cases[name].forEach((c, number) => {
    test(`${name} (case ${number + 1}): vjp and jvp equal central differences in float64`, async () => {
      const g = new Graph({ float: 'float64' })
      const x = c.inputs.map((shape, i) => g.input(`x${i}`, shape))
      const y = c.build(g, x)
      const seed = g.input('seed', y.shape)
      const directions = x.map((value, i) => [value, g.input(`d${i}`, value.shape)] as const)
      g.output('y', y)
      g.gradient(y, x, seed).forEach((gradient, i) => {
        g.output(`g${i}`, gradient)
      })
      g.output('jvp', g.jvp(y, directions)!)
      const session = await Session.create(g.compile(), cpu)

      const draw = sequence()
      const values = c.inputs.map((shape) =>
        Float64Array.from({ length: sizeOf(shape) }, () => c.values?.(draw) ?? draw()),
      )
      const seeds = Float64Array.from({ length: sizeOf(y.shape) }, draw)
      const steps = c.inputs.map((shape) => Float64Array.from({ length: sizeOf(shape) }, draw))
      const run = async (moved: readonly Float64Array<ArrayBuffer>[]) =>
        session.run(
          Object.fromEntries([
            ['seed', tensor('float64', seeds, y.shape)],
            ...moved.map((data, i) => [`x${i}`, tensor('float64', data, c.inputs[i]!)]),
            ...steps.map((data, i) => [`d${i}`, tensor('float64', data, c.inputs[i]!)]),
          ]),
        )
      const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
        Array.from(a).reduce((total, v, i) => total + v * b[i]!, 0)
      const at = async (moved: readonly Float64Array<ArrayBuffer>[]) =>
        Float64Array.from((await run(moved)).y!.data as Float64Array)
      const result = await run(values)

      for (const [i, value] of values.entries())
        for (let k = 0; k < value.length; k++) {
          const nudged = (by: number) =>
            values.map((v, j) => (j === i ? v.map((entry, m) => (m === k ? entry + by : entry)) : v))
          const difference = (dot(await at(nudged(step)), seeds) - dot(await at(nudged(-step)), seeds)) / (2 * step)
          expect(Math.abs((result[`g${i}`]!.data as Float64Array)[k]! - difference)).toBeLessThan(tolerance)
        }
      const along = (by: number) => values.map((v, i) => v.map((entry, m) => entry + by * steps[i]![m]!))
      const [up, down] = [await at(along(step)), await at(along(-step))]
      for (let k = 0; k < up.length; k++)
        expect(Math.abs((result.jvp!.data as Float64Array)[k]! - (up[k]! - down[k]!) / (2 * step))).toBeLessThan(
          tolerance,
        )
    })
  })
}

test('a graph that rounds to bfloat16: parameters, results, gradients and tangents all lie on its grid', async () => {
  const g = new Graph({ rounding: 'bfloat16' })
  const [x, w] = [g.input('x', [3, 5]), g.round(g.input('w', [4, 5]))]
  const y = g.silu(g.linear(g.round(x), w))
  const direction = g.round(g.input('direction', [4, 5]))
  g.output('rounded_w', w)
  g.output('y', y)
  g.output('gradient', g.gradient(g.sum(g.square(y)), [w])[0]!)
  g.output('tangent', g.jvp(y, [[w, direction]])!)
  const session = await Session.create(g.compile(), resolveDevice('cpu', 1))
  const values = (size: number, shift: number) => Float32Array.from({ length: size }, (_, i) => Math.sin(i + shift))
  const feeds = {
    x: tensor('float32', values(15, 0), [3, 5]),
    w: tensor('float32', values(20, 1), [4, 5]),
    direction: tensor('float32', values(20, 2), [4, 5]),
  }
  const results = await session.run(feeds)
  for (const name of ['rounded_w', 'y', 'gradient', 'tangent']) {
    const bits = new Uint32Array(Float32Array.from(results[name]!.data as Float32Array).buffer)
    expect(bits.every((word) => (word & 0xffff) === 0)).toBe(true)
    expect(bits.some((word) => word !== 0)).toBe(true)
  }
  // Round to nearest, ties to even, on the parameter itself.
  const rounded = Array.from(values(20, 1), (value) => {
    const word = new Uint32Array(Float32Array.of(value).buffer)[0]!
    return new Float32Array(Uint32Array.of((word + 0x7fff + ((word >>> 16) & 1)) & 0xffff0000).buffer)[0]!
  })
  expect(Array.from(results.rounded_w!.data as Float32Array)).toEqual(rounded)
  expect(() => new Graph({ float: 'float64', rounding: 'bfloat16' })).toThrow(/float32 only/)
})

test('wide sums: what float32 loses in a long sum of the backward pass, and only that', async () => {
  const rows = 1024
  const read = async (wideSums: 'none' | 'weights' | 'products') => {
    const g = new Graph({ wideSums })
    const [x, w] = [g.input('x', [rows, 1]), g.input('w', [rows, 1])]
    const y = g.linear(x, w)
    g.output('y', g.sum(y))
    const [toInput, toWeight] = g.gradient(y, [x, w], g.input('seed', [rows, rows]))
    g.output('x_gradient', toInput!)
    g.output('w_gradient', toWeight!)
    const session = await Session.create(g.compile(), resolveDevice('cpu', 1))
    // The large terms cancel; what is left is the sum of the small ones.
    const values = Float32Array.from({ length: rows }, (_, i) => (i % 2 === 0 ? 1 : -1) * 4096 + (i % 7) / 64)
    const exact = values.reduce((sum, value) => sum + value, 0)
    const feeds = {
      x: tensor('float32', values, [rows, 1]),
      w: tensor('float32', values, [rows, 1]),
      seed: tensor('float32', new Float32Array(rows * rows).fill(1 + 2 ** -20), [rows, rows]),
    }
    const results = await session.run(feeds)
    const error = (name: string) => Math.abs((results[name]!.data as Float32Array)[5]! / (exact * (1 + 2 ** -20)) - 1)
    return { input: error('x_gradient'), weight: error('w_gradient') }
  }
  const half = 2 ** -24
  const [none, weights, products] = [await read('none'), await read('weights'), await read('products')]
  expect(none.weight).toBeGreaterThan(half)
  expect(weights.weight).toBeLessThanOrEqual(half)
  expect(weights.input).toBe(none.input)
  expect(products.input).toBeLessThanOrEqual(half)
})
