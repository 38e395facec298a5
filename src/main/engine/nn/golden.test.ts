/** The decoder, its losses and gradients against numbers made with PyTorch in float64 (test/golden). */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openBase } from '../checkpoint/hf-folder.ts'
import { emptyState, type LearnedState } from '../checkpoint/learned-state.ts'
import { loraSpecs } from '../checkpoint/lora-layout.ts'
import { readSafetensorsHeader, readTensor } from '../checkpoint/safetensors.ts'
import { resolveDevice } from '../runtime/device.ts'
import { tensor } from '../runtime/session.ts'
import { layOutBatch, shapeFor } from './batch.ts'
import { Model } from './model.ts'
import { bradleyTerryObjective, logProbObjective, sftObjective } from './objectives.ts'
import { FrozenWeights } from './weights.ts'

const golden = (path: string) => new URL(`../../../../test/golden/${path}`, import.meta.url).pathname
const cpu = resolveDevice('cpu', 2)
const modelOf = (name: string, float: 'float32' | 'float64', profile?: 'portable') =>
  new Model(new FrozenWeights(openBase(golden(`checkpoints/${name}`))), {
    device: cpu,
    float,
    ...(profile && { profile }),
  })

const numbers = (file: ReturnType<typeof readSafetensorsHeader>, name: string) =>
  Float64Array.from(Array.from(readTensor(file, name) as ArrayLike<number | bigint>, Number))
const relative = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let [difference, norm] = [0, 0]
  for (let i = 0; i < b.length; i++) {
    difference += (a[i]! - b[i]!) ** 2
    norm += b[i]! ** 2
  }
  return Math.sqrt(difference / norm)
}
const largest = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(b).reduce((m, v, i) => Math.max(m, Math.abs(v - a[i]!)), 0)

function stateFrom(file: string, prefix: string, head: boolean, model: Model): LearnedState {
  const header = readSafetensorsHeader(golden(file))
  const state = emptyState(loraSpecs(model.base.config, 8, { head }))
  for (const spec of state.specs) state.data.set(readTensor(header, prefix + spec.name) as Float32Array, spec.offset)
  return state
}
function flat(file: ReturnType<typeof readSafetensorsHeader>, prefix: string, state: LearnedState): Float64Array {
  const data = new Float64Array(state.data.length)
  for (const spec of state.specs) data.set(numbers(file, prefix + spec.name), spec.offset)
  return data
}

interface GoldenRow {
  input_ids: number[]
  prompt_tokens: number
  response_tokens: number
}
const row = (r: GoldenRow) => ({
  promptIds: r.input_ids.slice(0, r.prompt_tokens),
  completionIds: r.input_ids.slice(r.prompt_tokens, r.prompt_tokens + r.response_tokens),
})

/** float32 kernels: 1e-4 on log-probabilities leaves room over PyTorch's own 2.4e-5. float64: rounding only. */
const variants = [
  { float: 'float32' as const, profile: undefined, logProb: 1e-4, gradient: 1e-4, tensorGradient: 1e-3 },
  { float: 'float32' as const, profile: 'portable' as const, logProb: 1e-4, gradient: 1e-4, tensorGradient: 1e-3 },
  { float: 'float64' as const, profile: undefined, logProb: 1e-9, gradient: 1e-9, tensorGradient: 1e-8 },
]

describe.each(variants)('$float $profile', ({ float, profile, logProb, gradient: gradientTolerance }) => {
  test.each(['base_f32', 'untied_bf16', 'rope_eps_bf16', 'sharded_bf16'])(
    '%s: token log-probabilities of the whole row',
    async (name) => {
      const model = modelOf(name, float, profile)
      const file = readSafetensorsHeader(golden(`forward/forward_${name}.safetensors`))
      for (const side of ['right', 'left']) {
        const ids = numbers(file, `${side}.input_ids`)
        const mask = numbers(file, `${side}.attention_mask`)
        const expected = numbers(file, `${side}.token_logprobs_f64`)
        const time = file.tensors.get(`${side}.input_ids`)!.shape[1]!
        const rows = Array.from({ length: ids.length / time }, (_, b) => {
          const tokens = Array.from(ids.subarray(b * time, (b + 1) * time)).filter((_, t) => mask[b * time + t] === 1)
          return { promptIds: tokens.slice(0, 1), completionIds: tokens.slice(1) }
        })
        const batch = layOutBatch(rows, shapeFor(rows, rows.length))
        const { log_probs } = await model.evaluate(
          'log-probs',
          logProbObjective,
          { specs: [], loraScale: 0 },
          null,
          batch,
        )
        rows.forEach((r, b) => {
          const reference = Array.from(expected.subarray(b * time, (b + 1) * time))
            .filter((_, t) => mask[b * time + t] === 1)
            .slice(1)
          expect(
            largest(
              log_probs!.subarray(b * batch.shape.response, b * batch.shape.response + r.completionIds.length),
              reference,
            ),
          ).toBeLessThan(logProb)
        })
      }
    },
  )

  test.each(['seed_init', 'trained_like'])('SFT gradient, %s', async (name) => {
    const model = modelOf('base_f32', float, profile)
    const state = stateFrom(`lora/${name}_init.safetensors`, '', false, model)
    const batches = JSON.parse(readFileSync(golden('lora/sft_batches.json'), 'utf8')) as { batches: GoldenRow[][] }
    const rows = batches.batches[0]!.map(row)
    const batch = layOutBatch(rows, shapeFor(rows, rows.length))
    const active = rows.reduce((n, r) => n + r.completionIds.length, 0)
    const gradient = {
      specs: state.specs,
      data: float === 'float32' ? new Float32Array(state.data.length) : new Float64Array(state.data.length),
    }
    const result = await model.evaluate(
      'sft',
      sftObjective,
      { specs: state.specs, loraScale: 2 },
      state,
      batch,
      { inverse_denominator: tensor('float32', Float32Array.of(1 / active), []) },
      gradient,
    )
    const log = JSON.parse(readFileSync(golden(`lora/${name}_log.json`), 'utf8'))
    // 1/active is fed in float32 in both variants: that rounding bounds the float64 agreement.
    expect(Math.abs(result.loss![0]! / log.steps_f64[0].loss - 1)).toBeLessThan(1e-6)
    const file = readSafetensorsHeader(golden(`lora/${name}_grads.safetensors`))
    expect(relative(gradient.data, flat(file, 'f64.', state))).toBeLessThan(Math.max(gradientTolerance, 1e-7))
  })

  test('Bradley–Terry gradient', async () => {
    const model = modelOf('base_f32', float, profile)
    const state = stateFrom('reward/adapter.safetensors', '', true, model)
    const { pairs } = JSON.parse(readFileSync(golden('reward/bt_pairs.json'), 'utf8')) as {
      pairs: { chosen: GoldenRow; rejected: GoldenRow }[]
    }
    const rows = [...pairs.map((p) => row(p.chosen)), ...pairs.map((p) => row(p.rejected))]
    const batch = layOutBatch(rows, shapeFor(rows, rows.length))
    const width = batch.shape.response + 1
    const last = new Uint8Array(rows.length * width)
    rows.forEach((r, b) => {
      last[b * width + r.completionIds.length] = 1
    })
    const gradient = {
      specs: state.specs,
      data: float === 'float32' ? new Float32Array(state.data.length) : new Float64Array(state.data.length),
    }
    const result = await model.evaluate(
      'bt',
      bradleyTerryObjective,
      { specs: state.specs, loraScale: 2 },
      state,
      batch,
      {
        last_mask: tensor('bool', last, [rows.length, width]),
        pair_weights: tensor('float32', new Float32Array(pairs.length).fill(1 / pairs.length), [pairs.length]),
      },
      gradient,
    )
    const file = readSafetensorsHeader(golden('reward/bt_grads.safetensors'))
    expect(largest(result.scores!.subarray(0, pairs.length), numbers(file, 'chosen_scores_f64'))).toBeLessThan(
      Math.max(logProb, 2e-4 * Number(float === 'float32')),
    )
    expect(relative(gradient.data, flat(file, 'f64.', state))).toBeLessThan(Math.max(gradientTolerance, 1e-7))
  })
})
