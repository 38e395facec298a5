/** Forward mode on the whole decoder, in float64 on a golden checkpoint: against a difference quotient and against reverse mode. */
import { expect, test } from 'vitest'
import { openBase } from '../checkpoint/hf-folder.ts'
import { cloneState, emptyState } from '../checkpoint/learned-state.ts'
import { loraSpecs } from '../checkpoint/lora-layout.ts'
import { TorchRandom } from '../random/torch-random.ts'
import { resolveDevice } from '../runtime/device.ts'
import { layOutBatch, shapeFor } from './batch.ts'
import { Model } from './model.ts'
import { policyObjective } from './objectives.ts'
import { tokenTangents } from './token-tangents.ts'
import { FrozenWeights } from './weights.ts'

const base = openBase(new URL('../../../../test/golden/checkpoints/base_f32', import.meta.url).pathname)
const model = new Model(new FrozenWeights(base), { device: resolveDevice('cpu', 1), float: 'float64' })
const specs = loraSpecs(base.config, 4, { head: false })
const layout = { specs, loraScale: 2 }
const drawn = (seed: number, deviation: number) => {
  const state = emptyState(specs)
  new TorchRandom(seed).normal(state.data, 0, deviation)
  return state
}
const rows = [
  { promptIds: [5, 9, 2], completionIds: [7, 30, 31, 8, 400], actionMask: [true, true, false, false, true] },
  { promptIds: [11], completionIds: [12, 13, 14] },
]
const batch = layOutBatch(rows, shapeFor(rows, 2))
const { response } = batch.shape
const trained = rows.flatMap((row, b) =>
  row.completionIds.flatMap((_, t) => (row.actionMask?.[t] === false ? [] : [b * response + t])),
)
const state = drawn(1, 0.05)
const direction = { specs, data: Float64Array.from(drawn(2, 1).data) }

test('every token’s derivative agrees with a difference quotient', async () => {
  const { tangents } = await tokenTangents(model, layout, state, direction, batch)
  const shifted = async (step: number) => {
    const moved = cloneState(state)
    direction.data.forEach((value, i) => {
      moved.data[i] = moved.data[i]! + step * value
    })
    return (await tokenTangents(model, layout, moved, direction, batch)).logProbs
  }
  // The learned state is float32, which limits the step from below.
  const step = 1e-3
  const [plus, minus] = [await shifted(step), await shifted(-step)]
  const quotient = trained.map((at) => (plus[at]! - minus[at]!) / (2 * step))
  const difference = trained.map((at, i) => tangents[at]! - quotient[i]!)
  expect(Math.hypot(...difference) / Math.hypot(...quotient)).toBeLessThan(1e-3)
})

test('every token’s derivative agrees with its own backward pass to rounding; untrained tokens have none', async () => {
  const { tangents } = await tokenTangents(model, layout, state, direction, batch)
  expect(trained).toHaveLength(6)
  for (const at of trained) {
    const weights = new Float64Array(2 * response)
    weights[at] = 1
    const gradient = { specs, data: new Float64Array(state.data.length) }
    const feeds = { weights: model.floatTensor(weights, [2, response]) }
    await model.evaluate('policy', policyObjective, layout, state, batch, feeds, gradient)
    const expected = gradient.data.reduce((sum, value, i) => sum + value * direction.data[i]!, 0)
    expect(Math.abs(tangents[at]! - expected) / Math.abs(expected)).toBeLessThan(1e-11)
  }
  const others = Array.from(tangents.keys()).filter((at) => !trained.includes(at))
  expect(others.map((at) => tangents[at]!)).toEqual(others.map(() => 0))
})

test('a state that no log-probability depends on is said to be so', async () => {
  const none = { specs: [], loraScale: 0 }
  const nothing = { specs: [], data: new Float64Array(0) }
  await expect(tokenTangents(model, none, emptyState([]), nothing, batch)).rejects.toThrow(/depends on/)
})
