/** Input gradients and directional credit through both models against PyTorch's (test/golden/datc), in both float types. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openBase } from '../../checkpoint/hf-folder.ts'
import { emptyState } from '../../checkpoint/learned-state.ts'
import { loraSpecs } from '../../checkpoint/lora-layout.ts'
import { readSafetensorsHeader, readTensor } from '../../checkpoint/safetensors.ts'
import { prefixValues } from '../../learn/reading.ts'
import { type Role, roleOf } from '../../learn/role.ts'
import { shapeFor } from '../../nn/batch.ts'
import { Model } from '../../nn/model.ts'
import { FrozenWeights } from '../../nn/weights.ts'
import { resolveDevice } from '../../runtime/device.ts'
import { directionalCredit } from './directional-credit.ts'
import { readRewardGradients } from './input-gradients.ts'
import { creditsFor, tokenWeights } from './token-weights.ts'
import { vocabularySums } from './vocabulary-sums.ts'

interface GoldenResponse {
  response_ids: number[]
  content_mask: boolean[]
  advantage: number
  reward: number
  d: number[]
  cos: number[]
  score_norm: number[]
  reward_direction_norm: number[]
  variants: { full_lambda4: { weights: number[]; predicted_gain: number } }
}
const path = (name: string) => new URL(`../../../../../test/golden/${name}`, import.meta.url).pathname
const golden = JSON.parse(readFileSync(path('datc/datc.json'), 'utf8')) as {
  prompt_ids: number[]
  reward_std_ddof1: number
  std_eps: number
  responses: GoldenResponse[]
}
const models = readSafetensorsHeader(path('datc/models.safetensors'))
const tensors = readSafetensorsHeader(path('datc/tensors.safetensors'))
const rows = golden.responses.map((response) => ({
  promptIds: golden.prompt_ids,
  completionIds: response.response_ids,
}))
const base = openBase(path('checkpoints/base_f32'))

function role(name: 'actor' | 'reward'): Role {
  const state = emptyState(loraSpecs(base.config, 8, { head: name === 'reward' }))
  for (const spec of state.specs)
    state.data.set(readTensor(models, `${name}.${spec.name}`) as Float32Array, spec.offset)
  return roleOf(state, 8, 16, name === 'reward' ? 'score' : 'none')
}
const relative = (got: ArrayLike<number>, wanted: ArrayLike<number>) => {
  let [difference, norm] = [0, 0]
  for (let i = 0; i < wanted.length; i++) {
    difference += (got[i]! - wanted[i]!) ** 2
    norm += wanted[i]! ** 2
  }
  return Math.sqrt(difference / norm)
}

describe.each([
  { float: 'float32' as const, score: 2e-4, gradient: 1e-4, credit: 1e-3, weight: 2e-3 },
  // Gradients pass to the second graph rounded to float32.
  { float: 'float64' as const, score: 1e-9, gradient: 1e-6, credit: 1e-5, weight: 2e-5 },
])('$float', ({ float, score, gradient, credit, weight }) => {
  const device = resolveDevice('cpu', 2)
  const modelOf = () => new Model(new FrozenWeights(base), { device, float })
  const model = modelOf()
  const shape = shapeFor(rows, 3)
  const scale = 1 / (golden.reward_std_ddof1 + golden.std_eps)

  test('scores and input gradients; the values are those of the plain forward pass', async () => {
    const readings = await readRewardGradients(model, role('reward'), rows, shape, { baseScore: true })
    readings.forEach((reading, k) => {
      expect(Math.abs(reading.score - golden.responses[k]!.reward)).toBeLessThan(score)
      if (!tensors.tensors.has(`${k}.input_gradient`)) return
      const wanted = readTensor(tensors, `${k}.input_gradient`) as Float64Array
      expect(relative(reading.inputGradient, wanted)).toBeLessThan(gradient)
    })
    const plain = await prefixValues(model, role('reward'), rows, shape)
    readings.forEach((reading, k) => {
      const values = [reading.baseScore!, ...reading.prefixScores]
      expect(values.length).toBe(plain[k]!.length)
      plain[k]!.forEach((value, t) => {
        expect(Math.abs(values[t]! - value)).toBeLessThan(score)
      })
    })
    // Without the prompt's own score, all else is the same.
    const fewer = await readRewardGradients(model, role('reward'), rows, shape, { baseScore: false })
    fewer.forEach((reading, k) => {
      expect(reading.baseScore).toBeNull()
      expect(Math.abs(reading.score - readings[k]!.score)).toBeLessThan(score / 10)
      expect(relative(reading.inputGradient, readings[k]!.inputGradient)).toBeLessThan(gradient)
    })
  })

  test.each(['one base', 'two bases'])('credit and weights, %s', async (bases) => {
    const readings = await readRewardGradients(model, role('reward'), rows, shape, { baseScore: true })
    const scaled = readings.map((reading) => reading.inputGradient.map((value) => value * scale))
    const weights = bases === 'one base' ? model.weights : new FrozenWeights(openBase(path('checkpoints/base_f32')))
    const sums = await vocabularySums(model, role('actor'), rows, scaled, shape, weights)
    golden.responses.forEach((response, k) => {
      const directions = sums[k]!.map(directionalCredit)
      const near = (name: 'credit' | 'cosine' | 'scoreNorm' | 'rewardNorm', wanted: number[]) =>
        expect(
          relative(
            directions.map((direction) => direction[name]),
            wanted,
          ),
        ).toBeLessThan(credit)
      near('credit', response.d)
      near('cosine', response.cos)
      near('scoreNorm', response.score_norm)
      near('rewardNorm', response.reward_direction_norm)
      const got = tokenWeights(creditsFor(directions, 'none'), response.advantage, response.content_mask, {
        maxWeight: 4,
        ablation: 'none',
      })
      const wanted = response.variants.full_lambda4
      got.weights.forEach((value, t) => {
        expect(Math.abs(value - wanted.weights[t]!)).toBeLessThan(weight)
      })
      expect(Math.abs(got.predictedGain / wanted.predicted_gain - 1)).toBeLessThan(weight)
    })
  })
})
