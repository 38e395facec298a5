import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MT19937 } from './mt19937.ts'
import { PythonRandom } from './python-random.ts'
import { TorchRandom } from './torch-random.ts'
import { uniform01 } from './uniform01.ts'

const golden = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../test/golden/${name}`, import.meta.url), 'utf8'))

interface TorchCase {
  seed: string
  randperm: { n: number; order: number[] }[]
  uniform: { n: number; low: number; high: number; values: number[] }[]
  normal: { n: number; mean: number; std: number; values: number[] }[]
  after: number[]
  kaiming: { shape: [number, number]; head: number[]; sum_f64: number }[]
}
interface PythonCase {
  seed: string
  getrandbits: { k: number; value: string }[]
  random: number[]
  randrange: { start: number; stop: number; value: number }[]
  shuffle12: number[]
  state_head: number[]
  position: number
}
const numbers = golden('random/random.json') as { torch: TorchCase[]; python: PythonCase[] }

describe('MT19937', () => {
  it('gives the published first words of init_genrand(5489) and of init_by_array', () => {
    const plain = MT19937.fromSeed(5489)
    expect([plain.nextUint32(), plain.nextUint32(), plain.nextUint32()]).toEqual([3499211612, 581869302, 3890346734])
    for (let i = 3; i < 9999; i++) plain.nextUint32()
    expect(plain.nextUint32()).toBe(4123659995)
    const keyed = MT19937.fromArray([0x123, 0x234, 0x345, 0x456])
    expect(Array.from({ length: 5 }, () => keyed.nextUint32())).toEqual([
      1067595299, 955945823, 477289528, 4107218783, 4228976476,
    ])
  })

  it('continues exactly from a saved state, wherever it was saved', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 1500 }), (seed, skipped) => {
        const generator = MT19937.fromSeed(seed)
        for (let i = 0; i < skipped; i++) generator.nextUint32()
        const copy = MT19937.fromState(generator.state())
        for (let i = 0; i < 20; i++) expect(copy.nextUint32()).toBe(generator.nextUint32())
      }),
      { numRuns: 25 },
    )
  })

  it('refuses what is not a state', () => {
    expect(() => MT19937.fromState(new Uint32Array(624))).toThrow(/625 words/)
    expect(() => MT19937.fromState(new Uint32Array(625))).toThrow(/zeros/)
    const state = MT19937.fromSeed(1).state()
    state[624] = 625
    expect(() => MT19937.fromState(state)).toThrow(/position/)
  })

  it('uniform01 has 53 bits and stays below one', () => {
    const all = { nextUint32: () => 0xffffffff }
    expect(uniform01(all)).toBe(1 - 2 ** -53)
    expect(uniform01({ nextUint32: () => 0 })).toBe(0)
  })
})

describe('PythonRandom equals random.Random', () => {
  for (const expected of numbers.python) {
    it(`seed ${expected.seed}`, () => {
      const random = new PythonRandom(BigInt(expected.seed))
      for (const { k, value } of expected.getrandbits) expect(random.getrandbits(k)).toBe(BigInt(value))
      expect(expected.random.map(() => random.random())).toEqual(expected.random)
      for (const { start, stop, value } of expected.randrange) expect(random.randrange(start, stop)).toBe(value)
      expect(random.shuffle(Array.from({ length: 12 }, (_, i) => i))).toEqual(expected.shuffle12)
      expect([...random.state().subarray(0, 4)]).toEqual(expected.state_head)
      expect(random.state()[624]).toBe(expected.position)
    })
  }

  const corpus = golden('corpus/corpus.json') as {
    shuffles: { seed: number; n: number; order: number[] }[]
    consecutive_shuffles_one_rng: number[][]
    mt19937_primitives: { seed: number; getrandbits32: number[]; random: number[]; randrange_7: number[] }[]
  }
  it('every stored shuffle, also for negative and wide seeds', () => {
    for (const { seed, n, order } of corpus.shuffles) {
      expect(new PythonRandom(seed).shuffle(Array.from({ length: n }, (_, i) => i))).toEqual(order)
    }
  })
  it('consecutive shuffles from one generator', () => {
    const random = new PythonRandom(11)
    const drawn = corpus.consecutive_shuffles_one_rng.map((order) =>
      random.shuffle(Array.from({ length: order.length }, (_, i) => i)),
    )
    expect(drawn).toEqual(corpus.consecutive_shuffles_one_rng)
  })
  it('the stored primitives', () => {
    for (const { seed, getrandbits32, random, randrange_7 } of corpus.mt19937_primitives) {
      const drawn = new PythonRandom(seed)
      expect(getrandbits32.map(() => Number(drawn.getrandbits(32)))).toEqual(getrandbits32)
      expect(random.map(() => drawn.random())).toEqual(random)
      expect(randrange_7.map(() => drawn.randrange(7))).toEqual(randrange_7)
    }
  })
  it('refuses an empty range and a seed that is not an exact integer', () => {
    expect(() => new PythonRandom(1).randrange(3, 3)).toThrow(/empty range/)
    expect(() => new PythonRandom(1.5)).toThrow(/integer/)
    expect(() => new PythonRandom(2 ** 60)).toThrow(/bigint/)
  })
})

describe('TorchRandom equals torch.Generator on the CPU', () => {
  for (const expected of numbers.torch) {
    it(`seed ${expected.seed}`, () => {
      const seed = BigInt(expected.seed)
      const order = new TorchRandom(seed)
      for (const { n, order: permutation } of expected.randperm) expect(order.randperm(n)).toEqual(permutation)

      const uniform = new TorchRandom(seed)
      for (const { n, low, high, values } of expected.uniform) {
        expect([...uniform.uniform(new Float32Array(n), low, high)]).toEqual(values)
      }

      const normal = new TorchRandom(seed)
      for (const { n, mean, std, values } of expected.normal) {
        const drawn = normal.normal(new Float32Array(n), mean, std)
        for (let i = 0; i < n; i++)
          expect(Math.abs(drawn[i]! - values[i]!)).toBeLessThan(2e-6 * std + 1e-7 * Math.abs(mean))
      }
      expect(normal.randperm(10)).toEqual(expected.after)

      const kaiming = new TorchRandom(seed)
      for (const { shape, head, sum_f64 } of expected.kaiming) {
        const drawn = kaiming.kaimingUniform(new Float32Array(shape[0] * shape[1]), shape[1])
        expect([...drawn.subarray(0, 6)]).toEqual(head)
        expect(drawn.reduce((sum, value) => sum + value, 0)).toBeCloseTo(sum_f64, 12)
      }
    })
  }

  it('reproduces the stored epoch orders of seed 149', () => {
    const stored = golden('corpus/torch_randperm.json') as { seed149: Record<string, number[][]> }
    for (const [n, orders] of Object.entries(stored.seed149)) {
      const generator = new TorchRandom(149)
      for (const order of orders) expect(generator.randperm(Number(n))).toEqual(order)
    }
  })

  for (const [name, seed] of [
    ['seed_init', 49],
    ['trained_like', 50],
  ] as const) {
    it(`reproduces the reference initialisation of LoRA A, ${name}, byte for byte`, () => {
      const tensors = readFloat32(`lora/${name}_init.safetensors`)
      const generator = new TorchRandom(seed)
      const names = [...tensors.keys()].filter((tensor) => tensor.endsWith('lora_A')).sort()
      expect(names).toHaveLength(14)
      for (const tensor of names) {
        const { shape, values } = tensors.get(tensor)!
        expect(generator.kaimingUniform(new Float32Array(values.length), shape[1]!)).toEqual(values)
      }
    })
  }

  it('a saved state brings back the waiting half of a normal pair too', () => {
    const generator = new TorchRandom(3)
    generator.normal(new Float32Array(1), 0, 1)
    const copy = new TorchRandom(0)
    copy.setState(generator.state())
    expect(copy.normal(new Float32Array(5), 0, 1)).toEqual(generator.normal(new Float32Array(5), 0, 1))
    expect(copy.uniform01()).toBe(generator.uniform01())
  })
})

function readFloat32(name: string): Map<string, { shape: number[]; values: Float32Array }> {
  const bytes = readFileSync(new URL(`../../../../test/golden/${name}`, import.meta.url))
  const length = Number(bytes.readBigUInt64LE(0))
  const header = JSON.parse(bytes.toString('utf8', 8, 8 + length)) as Record<
    string,
    { shape: number[]; data_offsets: [number, number] }
  >
  const tensors = new Map<string, { shape: number[]; values: Float32Array }>()
  for (const [tensor, { shape, data_offsets }] of Object.entries(header)) {
    if (tensor === '__metadata__') continue
    const copy = Uint8Array.from(bytes.subarray(8 + length + data_offsets[0], 8 + length + data_offsets[1]))
    tensors.set(tensor, { shape, values: new Float32Array(copy.buffer) })
  }
  return tensors
}
