/** Directional credit and weights from given distributions, gradients and embeddings against golden numbers. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openBase } from '../../checkpoint/hf-folder.ts'
import { readSafetensorsHeader, readTensor } from '../../checkpoint/safetensors.ts'
import { openTokenizer, type Tokenizer } from '../../checkpoint/tokenizer.ts'
import { directionalCredit, type VocabularySums } from './directional-credit.ts'
import { isContent } from './formatting.ts'
import { type Ablation, creditsFor, tokenWeights } from './token-weights.ts'

interface Variant {
  lambda: number
  utility_std: number[]
  tau: number
  weights: number[]
  token_advantages: number[]
  predicted_gain: number
  predicted_gain_uniform: number
}
interface GoldenResponse {
  response_ids: number[]
  content_mask: boolean[]
  advantage: number
  shuffle_permutation: number[]
  d: number[]
  cos: number[]
  reward_direction_norm: number[]
  score_norm: number[]
  variants: Record<string, Variant>
}
const path = (name: string) => new URL(`../../../../../test/golden/${name}`, import.meta.url).pathname
const { responses, reward_std_ddof1, std_eps } = JSON.parse(readFileSync(path('datc/datc.json'), 'utf8')) as {
  responses: GoldenResponse[]
  reward_std_ddof1: number
  std_eps: number
}
const tensors = readSafetensorsHeader(path('datc/tensors.safetensors'))
const floats = (name: string) => readTensor(tensors, name) as Float64Array
const table = openBase(path('checkpoints/base_f32')).float32('model.embed_tokens.weight')

/** The definition, written out over the vocabulary in float64: the second derivation of what the graph sums. */
function sumsOf(p: Float64Array, gradient: Float64Array, width: number, y: number): VocabularySums {
  const slopes = Array.from(p, (_, v) => {
    let a = 0
    for (let h = 0; h < width; h++) a += gradient[h]! * table[v * width + h]!
    return a
  })
  const mean = slopes.reduce((sum, a, v) => sum + p[v]! * a, 0)
  const r = slopes.map((a, v) => p[v]! * (a - mean))
  return {
    probability: p[y]!,
    centredSlope: slopes[y]! - mean,
    mean: r.reduce((sum, value, v) => sum + p[v]! * value, 0),
    square: r.reduce((sum, value) => sum + value * value, 0),
    concentration: p.reduce((sum, value) => sum + value * value, 0),
  }
}

const withTensors = responses
  .map((response, k) => ({ ...response, k }))
  .filter(({ k }) => tensors.tensors.has(`${k}.p`))

test('the fixtures hold distributions of at least one response', () => {
  expect(withTensors.length).toBeGreaterThan(0)
})

describe.each(withTensors)('response $k', (response) => {
  const ids = response.response_ids
  const p = floats(`${response.k}.p`)
  const input = floats(`${response.k}.input_gradient`)
  const [vocabulary, width] = [p.length / ids.length, input.length / ids.length]
  const scaled = input.map((value) => value / (reward_std_ddof1 + std_eps))
  const directions = ids.map((y, t) =>
    directionalCredit(
      sumsOf(p.subarray(t * vocabulary, (t + 1) * vocabulary), scaled.subarray(t * width, (t + 1) * width), width, y),
    ),
  )

  test('credit, cosine and norms', () => {
    directions.forEach((direction, t) => {
      expect(Math.abs(direction.credit - response.d[t]!)).toBeLessThan(1e-10)
      expect(Math.abs(direction.cosine - response.cos[t]!)).toBeLessThan(1e-10)
      expect(Math.abs(direction.rewardNorm - response.reward_direction_norm[t]!)).toBeLessThan(1e-10)
      expect(Math.abs(direction.scoreNorm - response.score_norm[t]!)).toBeLessThan(1e-10)
    })
  })

  test('is the derivative of the surrogate reward along the sampled direction', () => {
    // R(z) = ⟨g̃, softmax(z)·E⟩; z moves by s·(onehot − p).
    const t = 0
    const y = ids[t]!
    const at = p.subarray(0, vocabulary)
    const reward = (s: number) => {
      const weights = Array.from(at, (value, v) => value * Math.exp(s * (Number(v === y) - value)))
      const total = weights.reduce((sum, value) => sum + value, 0)
      let sum = 0
      for (let v = 0; v < vocabulary; v++)
        for (let h = 0; h < width; h++) sum += (weights[v]! / total) * scaled[h]! * table[v * width + h]!
      return sum
    }
    expect((reward(1e-4) - reward(-1e-4)) / 2e-4).toBeCloseTo(directions[t]!.credit, 8)
  })

  const ablationOf: Record<string, Ablation> = { no_angle: 'no-angle', shuffled: 'shuffled' }
  test.each(Object.entries(response.variants))('%s', (name, expected) => {
    const ablation = ablationOf[name] ?? 'none'
    const got = tokenWeights(
      creditsFor(directions, ablation),
      response.advantage,
      response.content_mask,
      { maxWeight: expected.lambda, ablation },
      response.shuffle_permutation,
    )
    ids.forEach((_, t) => {
      expect(Math.abs(got.utilities[t]! - expected.utility_std[t]!)).toBeLessThan(1e-8)
      expect(Math.abs(got.weights[t]! - expected.weights[t]!)).toBeLessThan(1e-8)
      expect(Math.abs(response.advantage * got.weights[t]! - expected.token_advantages[t]!)).toBeLessThan(1e-8)
    })
    expect(got.temperature).toBeCloseTo(expected.tau, 7)
    expect(Math.abs(got.predictedGain - expected.predicted_gain)).toBeLessThan(1e-9)
    expect(Math.abs(got.predictedGainUniform - expected.predicted_gain_uniform)).toBeLessThan(1e-10)
  })
})

test('what is blank is what Python strips: U+FEFF is not, separators and NEL are', () => {
  const texts = ['\ufeff', ' \t\n', '\u00a0', '\u001c', '\u0085', '\u200b', 'a ']
  const tokenizer = {
    specialIds: new Set([9]),
    decode: ([id]: readonly number[]) => texts[id!] ?? 'word',
  } as unknown as Tokenizer
  expect(texts.map((_, id) => isContent(tokenizer, id))).toEqual([true, false, false, false, false, true, true])
  expect(isContent(tokenizer, 9)).toBe(false)
})

test('content and formatting of the golden responses', () => {
  const tokenizer = openTokenizer(path('checkpoints/base_f32'))
  for (const { response_ids, content_mask } of responses)
    expect(response_ids.map((id) => isContent(tokenizer, id))).toEqual(content_mask)
  expect(isContent(tokenizer, tokenizer.maxId + 1)).toBe(false)
})
