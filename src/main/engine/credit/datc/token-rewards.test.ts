/** Token rewards of a reward model: RED's telescope, P2T's influences against replacing a token and reading again. */
import { expect, test } from 'vitest'
import { checkpoints } from '../../checkpoint/checkpoint-fixtures.ts'
import { openBase } from '../../checkpoint/hf-folder.ts'
import { prefixValues } from '../../learn/reading.ts'
import { freshRole } from '../../learn/role.ts'
import { shapeFor, type TokenRow } from '../../nn/batch.ts'
import { Model } from '../../nn/model.ts'
import { FrozenWeights } from '../../nn/weights.ts'
import { TorchRandom } from '../../random/torch-random.ts'
import { resolveDevice } from '../../runtime/device.ts'
import { trainedRow } from '../trained-row.ts'
import { readRewardGradients } from './input-gradients.ts'
import { influences, redistributed } from './token-rewards.ts'

const base = openBase(`${checkpoints}/base_f32`)
const model = new Model(new FrozenWeights(base), { device: resolveDevice('cpu', 1), float: 'float64' })
const judge = freshRole(base, { rank: 4, alpha: 8, head: 'score', seed: 3 })
new TorchRandom(4).normal(judge.state.data, 0, 0.05)
const rollout = trainedRow(
  {
    id: 'r',
    group: 'g',
    reward: 1,
    terminated: true,
    truncated: false,
    turns: [
      { role: 'user', token_ids: [5, 17, 80, 33] },
      { role: 'assistant', token_ids: [41, 7, 260] },
      { role: 'tool', token_ids: [90, 91] },
      { role: 'assistant', token_ids: [12, 130] },
    ],
  },
  'test',
)
const shape = shapeFor([rollout], 1)
const { hiddenSize: width } = base.config
const table = base.float32('model.embed_tokens.weight')
const NULL = 0

test('prefix values are those of reading every prefix by itself, and their differences telescope', async () => {
  const [reading] = await readRewardGradients(model, judge, [rollout], shape, { baseScore: true })
  for (let end = 1; end <= rollout.completionIds.length; end++) {
    const cut = { promptIds: rollout.promptIds, completionIds: rollout.completionIds.slice(0, end) }
    const [values] = await prefixValues(model, judge, [cut], shape)
    expect(Math.abs(reading!.prefixScores[end - 1]! - values!.at(-1)!)).toBeLessThan(1e-9)
  }
  const rewards = redistributed(rollout, reading!)
  expect(rewards.length).toBe(5)
  // The third action is followed by two observations, whose change it is paid.
  expect(rewards[2]).toBeCloseTo(reading!.prefixScores[4]! - reading!.prefixScores[1]!, 12)
  const total = rewards.reduce((sum, reward) => sum + reward, 0)
  expect(Math.abs(total - (reading!.score - reading!.baseScore!))).toBeLessThan(1e-12)
})

/** The base with the embedding of `id` moved the share `way` towards the null token's. */
function moved(id: number, way: number): Model {
  const float32 = (name: string) => {
    const values = base.float32(name)
    if (name !== 'model.embed_tokens.weight') return values
    const copy = values.slice()
    for (let h = 0; h < width; h++)
      copy[id * width + h] = (1 - way) * table[id * width + h]! + way * table[NULL * width + h]!
    return copy
  }
  return new Model(new FrozenWeights({ ...base, float32 }), { device: resolveDevice('cpu', 1), float: 'float64' })
}

test('summed over the way to the null token, influences are what replacing the token and reading again gives', async () => {
  const at = 1
  const id = rollout.completionIds[at]!
  expect([...rollout.promptIds, ...rollout.completionIds].filter((token) => token === id).length).toBe(1)
  const replaced = { ...rollout, completionIds: rollout.completionIds.with(at, NULL) }
  const score = async (row: TokenRow) => (await prefixValues(model, judge, [row], shape))[0]!.at(-1)!
  const exact = (await score(rollout)) - (await score(replaced))
  // Midpoints: their error falls with the square of the number.
  const points = 24
  let sum = 0
  for (let k = 0; k < points; k++) {
    const [reading] = await readRewardGradients(moved(id, (k + 0.5) / points), judge, [rollout], shape, {
      baseScore: false,
    })
    sum += influences(rollout, reading!, table, width, NULL)[at]! / points
  }
  expect(Math.abs(exact)).toBeGreaterThan(1e-3)
  expect(Math.abs(sum / exact - 1)).toBeLessThan(2e-2)
})
