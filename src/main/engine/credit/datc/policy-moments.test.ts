/** Credit from moments taken while sampling against the policy's own pass over the sampled responses. */
import { expect, test } from 'vitest'
import { checkpoints } from '../../checkpoint/checkpoint-fixtures.ts'
import { openBase } from '../../checkpoint/hf-folder.ts'
import { freshRole } from '../../learn/role.ts'
import { shapeFor } from '../../nn/batch.ts'
import { generate } from '../../nn/generate.ts'
import { Model } from '../../nn/model.ts'
import { FrozenWeights } from '../../nn/weights.ts'
import { TorchRandom } from '../../random/torch-random.ts'
import { resolveDevice } from '../../runtime/device.ts'
import { creditOf, directionalCredit } from './directional-credit.ts'
import { MomentCollector, sumsFromMoments } from './policy-moments.ts'
import { vocabularySums } from './vocabulary-sums.ts'

const base = openBase(`${checkpoints}/base_f32`)
const { hiddenSize: width } = base.config

test.each([
  { float: 'float32' as const, tolerance: 1e-3 },
  // Gradients and moments are kept in float32.
  { float: 'float64' as const, tolerance: 1e-5 },
])('$float: the same credit, for ragged prompts and more tokens than one pass takes', async ({ float, tolerance }) => {
  const model = new Model(new FrozenWeights(base), { device: resolveDevice('cpu', 1), float })
  const policy = freshRole(base, { rank: 4, alpha: 8, head: 'none', seed: 1 })
  new TorchRandom(2).normal(policy.state.data, 0, 0.05)
  const prompts = Array.from({ length: 9 }, (_, i) => [5, 17, 80, 33, 9].slice(0, 2 + (i % 4)))
  const random = new TorchRandom(7)
  const collector = new MomentCollector(model, prompts.length)
  const responses = await generate(model, policy.layout, policy.state, {
    prompts,
    maxNewTokens: 40,
    eosIds: [base.config.vocabSize - 9],
    choice: { kind: 'sample', temperature: 1, uniform: () => random.uniform01() },
    batch: 4,
    promptColumns: 8,
    onChoice: collector.note,
  })
  const moments = await collector.finish()
  const rows = responses.map(({ tokenIds }, i) => ({ promptIds: prompts[i]!, completionIds: tokenIds }))
  expect(rows.reduce((sum, row) => sum + row.completionIds.length, 0)).toBeGreaterThan(256)
  const gradients = rows.map((row) => {
    const gradient = new Float32Array(row.completionIds.length * width)
    new TorchRandom(row.completionIds.length).normal(gradient, 0, 1)
    return gradient
  })
  const sums = await vocabularySums(model, policy, rows, gradients, shapeFor(rows, 4))
  const table = base.float32('model.embed_tokens.weight')
  let [difference, norm] = [0, 0]
  rows.forEach((row, i) => {
    expect(moments[i]!.map(({ id }) => id)).toEqual(row.completionIds)
    row.completionIds.forEach((id, t) => {
      const gradient = gradients[i]!.subarray(t * width, (t + 1) * width)
      const got = creditOf(sumsFromMoments(moments[i]![t]!, gradient, table.subarray(id * width, (id + 1) * width)))
      const wanted = directionalCredit(sums[i]![t]!).credit
      difference += (got - wanted) ** 2
      norm += wanted ** 2
    })
  })
  expect(Math.sqrt(difference / norm)).toBeLessThan(tolerance)
})
