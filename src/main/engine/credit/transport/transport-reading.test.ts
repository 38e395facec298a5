/** Attention concentration against golden numbers; hidden states against the log-probabilities they give. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openBase } from '../../checkpoint/hf-folder.ts'
import { tokenLogProbs } from '../../learn/reading.ts'
import { shapeFor } from '../../nn/batch.ts'
import { Model } from '../../nn/model.ts'
import { FrozenWeights } from '../../nn/weights.ts'
import { resolveDevice } from '../../runtime/device.ts'
import { retentionGate } from '../estimators/retention-gate.ts'
import { readTransport } from './transport-reading.ts'

const path = (name: string) => new URL(`../../../../../test/golden/${name}`, import.meta.url).pathname
const { retention_gate: golden } = JSON.parse(readFileSync(path('credit/estimators.json'), 'utf8')) as {
  retention_gate: {
    input_ids: number[]
    g_min: number
    g_max: number
    concentration_mean_over_layers: number[]
    gate_for_query_position: number[]
  }
}
const base = openBase(path('checkpoints/base_f32'))
const row = { promptIds: golden.input_ids.slice(0, 1), completionIds: golden.input_ids.slice(1) }
const device = resolveDevice('cpu', 1)

test.each([
  { float: 'float32' as const, profile: undefined, tolerance: 1e-5 },
  { float: 'float32' as const, profile: 'portable' as const, tolerance: 1e-5 },
  { float: 'float64' as const, profile: undefined, tolerance: 1e-10 },
])(
  '$float $profile: concentration and gate of every query that predicts a token',
  async ({ float, profile, tolerance }) => {
    const model = new Model(new FrozenWeights(base), { device, float, ...(profile && { profile }) })
    // Beside another, longer row, and padded on both sides.
    const other = { promptIds: [5, 6, 7, 8, 9, 10, 11, 12, 13], completionIds: [1, 2, 3] }
    const [reading] = await readTransport(model, null, [row, other], shapeFor([row, other], 3))
    reading!.concentration.forEach((value, t) => {
      expect(Math.abs(value - golden.concentration_mean_over_layers[t]!)).toBeLessThan(tolerance)
      const gate = retentionGate(value, golden.g_min, golden.g_max)
      expect(Math.abs(gate - golden.gate_for_query_position[t]!)).toBeLessThan(tolerance)
    })
    expect(reading!.concentration.length).toBe(8)
  },
)

test('the states are those that the tokens are predicted from', async () => {
  const model = new Model(new FrozenWeights(base), { device, float: 'float64' })
  const shape = shapeFor([row], 1)
  const [reading] = await readTransport(model, null, [row], shape)
  const [logProbs] = await tokenLogProbs(model, null, [row], shape)
  const table = base.float32('model.embed_tokens.weight')
  const width = base.config.hiddenSize
  row.completionIds.forEach((id, t) => {
    const logits = Array.from({ length: base.config.vocabSize }, (_, v) => {
      let sum = 0
      for (let h = 0; h < width; h++) sum += reading!.states[t * width + h]! * table[v * width + h]!
      return sum
    })
    const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0))
    expect(Math.abs(logits[id]! - total - logProbs![t]!)).toBeLessThan(1e-5)
  })
})
