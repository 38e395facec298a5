import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesSha256, layOut, type TensorSpec } from '../checkpoint/learned-state.ts'
import { adamwStep, newAdamWState } from './adamw.ts'
import { clipGradient, globalNorm } from './clip.ts'
import { NonFinite } from './non-finite.ts'
import { learningRate } from './schedule.ts'

const golden = (name: string) => new URL(`../../../../test/golden/${name}`, import.meta.url)
const json = (name: string) => JSON.parse(readFileSync(golden(name), 'utf8'))

interface AdamCase {
  name: string
  weight_decay: number
  clip: number
  initial: number[]
  steps: {
    learning_rate: number
    gradient: number[]
    norm: number
    clipped: number[]
    parameters: number[]
    m: number[]
    v: number[]
  }[]
}

describe('learning-rate schedule', () => {
  const shape = { warmupRatio: 0.1, minimumLrRatio: 0.1 }
  const cases = json('lora/schedule.json').cases as {
    total: number
    peak: number
    warmup_ratio: number
    minimum_lr_ratio: number
    lr: number[]
  }[]
  for (const { total, peak, warmup_ratio, minimum_lr_ratio, lr } of cases) {
    it(`${total} steps to a peak of ${peak}`, () => {
      const own = { warmupRatio: warmup_ratio, minimumLrRatio: minimum_lr_ratio }
      expect(lr.map((_, step) => learningRate(step, total, peak, own))).toEqual(lr)
    })
  }
  it('has its peak twice and ends at exactly a tenth of it', () => {
    expect(learningRate(5, 63, 1, shape)).toBe(1)
    expect(learningRate(6, 63, 1, shape)).toBe(1)
    expect(learningRate(62, 63, 1, shape)).toBeCloseTo(0.1, 15)
  })
  it('never exceeds the peak nor falls below its floor after the warm-up', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(499), (total, at) => {
        const step = at % total
        const rate = learningRate(step, total, 1, shape)
        expect(rate).toBeGreaterThan(0)
        expect(rate).toBeLessThanOrEqual(1)
        if (step >= Math.max(1, Math.floor(total / 10))) expect(rate).toBeGreaterThanOrEqual(0.1 - 1e-12)
      }),
    )
  })
  it('refuses a step outside the schedule', () => {
    expect(() => learningRate(63, 63, 1, shape)).toThrow(RangeError)
    expect(() => learningRate(-1, 63, 1, shape)).toThrow(RangeError)
  })
})

describe('AdamW and clipping against torch, several steps', () => {
  for (const expected of json('optim/adamw.json').cases as AdamCase[]) {
    it(`${expected.name}: parameters and moments are equal in every bit`, () => {
      const theta = Float32Array.from(expected.initial)
      const state = newAdamWState(theta.length)
      for (const step of expected.steps) {
        const gradient = Float32Array.from(step.gradient)
        const { norm } = clipGradient(gradient, [], expected.clip)
        expect(Math.abs(norm / step.norm - 1)).toBeLessThan(1e-6)
        for (let i = 0; i < gradient.length; i++) expect(gradient[i]).toBeCloseTo(step.clipped[i]!, 6)
        // From torch's own clipped gradient, so that the optimizer is judged alone.
        adamwStep(theta, Float32Array.from(step.clipped), state, {
          learningRate: step.learning_rate,
          weightDecay: expected.weight_decay,
        })
        expect(theta).toEqual(Float32Array.from(step.parameters))
        expect(state.m).toEqual(Float32Array.from(step.m))
        expect(state.v).toEqual(Float32Array.from(step.v))
      }
    })
  }
})

describe('first SFT step of the reference', () => {
  for (const name of ['seed_init', 'trained_like']) {
    it(`${name}: clipped gradient to parameters`, () => {
      const log = json(`lora/${name}_log.json`) as {
        clip?: number
        steps_f64: { lr: number; unclipped_gradient_norm: number; clip_coefficient: number }[]
      }
      const first = log.steps_f64[0]!
      const before = tensors(`lora/${name}_init.safetensors`)
      const gradients = tensors(`lora/${name}_grads.safetensors`)
      const after = tensors(`lora/${name}_steps.safetensors`)
      const names = [...before.keys()].sort()
      const specs = layOut(names.map((tensor) => ({ name: tensor, shape: [before.get(tensor)!.length] })))
      const theta = joined(specs, (tensor) => before.get(tensor)!)
      const start = theta.slice()
      const gradient = joined(specs, (tensor) => gradients.get(`f64.${tensor}`)!)
      const { norm, factor } = clipGradient(gradient, specs, log.clip ?? 1)
      expect(Math.abs(norm / first.unclipped_gradient_norm - 1)).toBeLessThan(1e-7)
      expect(Math.abs(factor / first.clip_coefficient - 1)).toBeLessThan(1e-7)
      adamwStep(theta, gradient, newAdamWState(theta.length), { learningRate: first.lr, weightDecay: 0.01 })
      const expected = joined(specs, (tensor) => after.get(`step1.${tensor}`)!)
      let difference = 0
      let size = 0
      for (let i = 0; i < theta.length; i++) {
        difference += (theta[i]! - expected[i]!) ** 2
        size += (expected[i]! - start[i]!) ** 2
      }
      expect(Math.sqrt(difference / size)).toBeLessThan(2e-3)
    })
  }
})

describe('AdamW', () => {
  it('with learning rate 0 every parameter keeps its bytes while the moments move', () => {
    const theta = Float32Array.from([0.1, -0, 3e-39, -7])
    const before = bytesSha256(theta)
    const state = newAdamWState(4)
    adamwStep(theta, Float32Array.from([1, 2, -3, 0]), state, { learningRate: 0, weightDecay: 0.01 })
    expect(bytesSha256(theta)).toBe(before)
    expect(state.step).toBe(1)
    expect(state.m[0]).toBeCloseTo(0.1, 7)
  })
  it('continues byte for byte from saved moments', () => {
    const gradient = (step: number) => Float32Array.from({ length: 9 }, (_, i) => Math.sin(i * 7 + step))
    const settings = { learningRate: 1e-2, weightDecay: 0.01 }
    const through = Float32Array.from({ length: 9 }, (_, i) => i / 9)
    const state = newAdamWState(9)
    for (let step = 0; step < 3; step++) adamwStep(through, gradient(step), state, settings)
    const resumed = through.slice()
    const saved = { m: state.m.slice(), v: state.v.slice(), step: state.step }
    for (let step = 3; step < 6; step++) adamwStep(through, gradient(step), state, settings)
    for (let step = 3; step < 6; step++) adamwStep(resumed, gradient(step), saved, settings)
    expect(resumed).toEqual(through)
    expect(saved).toEqual(state)
  })
  it('does not mix elements: a permuted problem has the permuted answer', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.float({ noNaN: true, min: -4, max: 4 }), fc.float({ noNaN: true, min: -4, max: 4 })), {
          minLength: 1,
        }),
        (rows) => {
          const run = (order: readonly (readonly [number, number])[]) => {
            const theta = Float32Array.from(order, ([value]) => value)
            adamwStep(
              theta,
              Float32Array.from(order, ([, g]) => g),
              newAdamWState(order.length),
              {
                learningRate: 0.1,
                weightDecay: 0.01,
              },
            )
            return [...theta]
          }
          expect(run(rows.toReversed())).toEqual(run(rows).reverse())
        },
      ),
    )
  })
  it('refuses buffers of different lengths', () => {
    const settings = { learningRate: 1, weightDecay: 0 }
    expect(() => adamwStep(new Float32Array(3), new Float32Array(2), newAdamWState(3), settings)).toThrow(RangeError)
  })
})

describe('clipping', () => {
  const specs = layOut([
    { name: 'model.layers.0.self_attn.q_proj.lora_A', shape: [2, 2] },
    { name: 'head.weight', shape: [1, 3] },
  ])
  it('takes one norm over all tensors', () => {
    const gradient = Float32Array.from([3, 0, 0, 0, 0, 4, 0])
    const { norm, factor } = clipGradient(gradient, specs, 1)
    expect(norm).toBe(5)
    expect(factor).toBe(1 / (5 + 1e-6))
    expect(gradient[0]).toBeCloseTo(0.6, 6)
    expect(gradient[5]).toBeCloseTo(0.8, 6)
  })
  it('leaves a gradient inside the bound as it is, byte for byte', () => {
    const gradient = Float32Array.from([0.1, -0, 1e-30, 0, 0, 0.2, 0])
    const before = bytesSha256(gradient)
    expect(clipGradient(gradient, specs, 1).factor).toBe(1)
    expect(bytesSha256(gradient)).toBe(before)
  })
  it('squares that overflow float32 still have a norm', () => {
    expect(globalNorm(Float32Array.from([3e38, 0, 0, 0, 0, 0, 0]), specs)).toBeCloseTo(Math.fround(3e38), -30)
  })
  it('a gradient that is not finite stops the run and is named, and nothing was scaled', () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const gradient = Float32Array.from([9, 9, 9, 9, 9, bad, 9])
      const before = gradient.slice()
      let caught: unknown
      try {
        clipGradient(gradient, specs, 1)
      } catch (error) {
        caught = error
      }
      expect(caught).toBeInstanceOf(NonFinite)
      expect(caught).toMatchObject({ tensor: 'gradient of head.weight', index: 1 })
      expect(gradient).toEqual(before)
    }
  })
})

/** Tensors of a safetensors file, F32 or F64, as numbers. */
function tensors(name: string): Map<string, Float32Array | Float64Array> {
  const bytes = readFileSync(golden(name))
  const length = Number(bytes.readBigUInt64LE(0))
  const header = JSON.parse(bytes.toString('utf8', 8, 8 + length)) as Record<
    string,
    { dtype: string; data_offsets: [number, number] }
  >
  return new Map(
    Object.entries(header)
      .filter(([tensor]) => tensor !== '__metadata__')
      .map(([tensor, { dtype, data_offsets }]) => {
        const { buffer } = Uint8Array.from(bytes.subarray(8 + length + data_offsets[0], 8 + length + data_offsets[1]))
        return [tensor, dtype === 'F64' ? new Float64Array(buffer) : new Float32Array(buffer)]
      }),
  )
}

function joined(specs: readonly TensorSpec[], of: (name: string) => ArrayLike<number>): Float32Array {
  const last = specs.at(-1)!
  const out = new Float32Array(last.offset + last.size)
  for (const { name, offset } of specs) out.set(of(name), offset)
  return out
}

it('a bound that is not a positive number is refused instead of clipping nothing', () => {
  for (const bound of [Number.NaN, 0, -1])
    expect(() => clipGradient(Float32Array.of(3, 4), [{ name: 'w', shape: [2], offset: 0, size: 2 }], bound)).toThrow(
      RangeError,
    )
})
