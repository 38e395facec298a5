/** Cached generation against full forwards and against the golden greedy runs. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openBase } from '../checkpoint/hf-folder.ts'
import { emptyState } from '../checkpoint/learned-state.ts'
import { loraSpecs } from '../checkpoint/lora-layout.ts'
import { TorchRandom } from '../random/torch-random.ts'
import { resolveDevice } from '../runtime/device.ts'
import { layOutBatch, shapeFor } from './batch.ts'
import { generate } from './generate.ts'
import { Model, noAdapter } from './model.ts'
import { logProbObjective } from './objectives.ts'
import { FrozenWeights } from './weights.ts'

const golden = (path: string) => new URL(`../../../../test/golden/${path}`, import.meta.url).pathname
const newModel = (name = 'base_f32') =>
  new Model(new FrozenWeights(openBase(golden(`checkpoints/${name}`))), { device: resolveDevice('cpu', 2) })

interface GreedyCase {
  prompt_ids: number[]
  generated_ids: number[]
  finish_reason: 'eos' | 'length'
  eos_ids: number[]
  max_new_tokens: number
}

test('greedy ids equal the reference for each prompt alone and for all together, ragged', async () => {
  const { cases } = JSON.parse(readFileSync(golden('forward/greedy.json'), 'utf8')) as { cases: GreedyCase[] }
  const model = newModel()
  const shared = { choice: { kind: 'greedy' } as const, promptColumns: 40 }
  for (const c of cases) {
    const [alone] = await generate(model, noAdapter, null, {
      ...shared,
      prompts: [c.prompt_ids],
      batch: 1,
      maxNewTokens: c.max_new_tokens,
      eosIds: c.eos_ids,
    })
    expect(alone!.tokenIds).toEqual(c.generated_ids)
    expect(alone!.finishReason).toBe(c.finish_reason)
    // The same prompt among the others, which have other lengths and stop elsewhere.
    const together = await generate(model, noAdapter, null, {
      ...shared,
      prompts: cases.map((other) => other.prompt_ids),
      batch: cases.length,
      maxNewTokens: c.max_new_tokens,
      eosIds: c.eos_ids,
    })
    expect(together[cases.indexOf(c)]!.tokenIds).toEqual(c.generated_ids)
  }
})

/** The fused kernel; ordinary operators in float32 (other devices, odd head sizes); the same in float64. */
const paths = [
  { float: 'float32' as const, profile: 'fused' as const, tolerance: 1e-4 },
  { float: 'float32' as const, profile: 'portable' as const, tolerance: 1e-4 },
  // Log-probabilities are recorded in float32 whatever computed them.
  { float: 'float64' as const, profile: 'portable' as const, tolerance: 1e-6 },
]

test.each(paths)(
  '$float $profile: sampling-time log-probabilities equal the teacher-forced ones, non-zero adapter, ragged prompts',
  async ({ float, profile, tolerance }) => {
    const model = new Model(new FrozenWeights(openBase(golden('checkpoints/base_f32'))), {
      device: resolveDevice('cpu', 2),
      float,
      profile,
    })
    const state = emptyState(loraSpecs(model.base.config, 8, { head: false }))
    for (let i = 0; i < state.data.length; i++) state.data[i] = Math.sin(i * 12.9898) * 0.1
    const layout = { specs: state.specs, loraScale: 2 }
    const prompts = [3, 17, 9, 30].map((n, r) => Array.from({ length: n }, (_, i) => (i * 37 + r * 11) % 500))
    const random = new TorchRandom(7)
    const uniform = () => random.uniform01()
    const rows = await generate(model, layout, state, {
      prompts,
      maxNewTokens: 24,
      eosIds: [503],
      choice: { kind: 'sample', temperature: 1, uniform },
      batch: 4,
      promptColumns: 32,
    })
    const scored = rows.map((row, i) => ({ promptIds: prompts[i]!, completionIds: row.tokenIds }))
    const batch = layOutBatch(scored, shapeFor(scored, 4))
    const { log_probs } = await model.evaluate('log-probs', logProbObjective, layout, state, batch)
    rows.forEach((row, b) => {
      row.logprobs.forEach((logprob, t) => {
        expect(Math.abs(logprob - log_probs![b * batch.shape.response + t]!)).toBeLessThan(tolerance)
      })
    })
    const alone = await Promise.all(
      prompts.map((prompt) =>
        generate(model, layout, state, {
          prompts: [prompt],
          maxNewTokens: 8,
          eosIds: [503],
          choice: { kind: 'greedy' },
          batch: 1,
          promptColumns: 32,
        }),
      ),
    )
    const together = await generate(model, layout, state, {
      prompts,
      maxNewTokens: 8,
      eosIds: [503],
      choice: { kind: 'greedy' },
      batch: 4,
      promptColumns: 40,
    })
    together.forEach((row, i) => {
      expect(row.tokenIds).toEqual(alone[i]![0]!.tokenIds)
    })
  },
)
