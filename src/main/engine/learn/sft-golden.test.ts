/** Three SFT optimizer steps (token-sum loss, clip, AdamW) against PyTorch's trajectory in float64 (test/golden/lora). */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { emptyState } from '../checkpoint/learned-state.ts'
import { loraSpecs } from '../checkpoint/lora-layout.ts'
import { readSafetensorsHeader, readTensor } from '../checkpoint/safetensors.ts'
import { Learner } from './learner.ts'
import { roleOf } from './role.ts'
import { openStage } from './stage-context.ts'
import { sftTask } from './supervised-tasks.ts'

const golden = (path: string) => new URL(`../../../../test/golden/${path}`, import.meta.url).pathname
const context = await openStage({
  base: golden('checkpoints/base_f32'),
  device: 'cpu',
  threads: 2,
  weightCache: '/nonexistent',
})

interface GoldenRow {
  document_id: string
  input_ids: number[]
  prompt_tokens: number
  response_tokens: number
}
const { batches } = JSON.parse(readFileSync(golden('lora/sft_batches.json'), 'utf8')) as { batches: GoldenRow[][] }
const encoded = batches.map((batch) =>
  batch.map((row) => ({
    id: row.document_id,
    promptIds: row.input_ids.slice(0, row.prompt_tokens),
    completionIds: row.input_ids.slice(row.prompt_tokens, row.prompt_tokens + row.response_tokens),
  })),
)

test.each(['seed_init', 'trained_like'])('%s: losses, norms and updates of three steps', async (name) => {
  const log = JSON.parse(readFileSync(golden(`lora/${name}_log.json`), 'utf8')) as {
    clip?: number
    steps_f64: { lr: number; loss: number; denominator: number; unclipped_gradient_norm: number }[]
    wrong_mean_of_response_means_loss_step0: number
  }
  const state = emptyState(loraSpecs(context.base.config, 8, { head: false }))
  const init = readSafetensorsHeader(golden(`lora/${name}_init.safetensors`))
  for (const spec of state.specs) state.data.set(readTensor(init, spec.name) as Float32Array, spec.offset)
  const start = Float64Array.from(state.data)
  const learner = new Learner(roleOf(state, 8, 16, 'none'))
  const steps = readSafetensorsHeader(golden(`lora/${name}_steps.safetensors`))
  for (const [i, expected] of log.steps_f64.entries()) {
    // The reference cycles through its batches; one optimizer step takes eight rows.
    const rows = encoded[i % encoded.length]!
    const task = sftTask(context, rows, rows.length)
    learner.clear()
    const { loss, denominator } = await task.accumulate(learner, rows)
    const norm = learner.step({ learningRate: expected.lr, weightDecay: 0.01, maxNorm: log.clip ?? 1 })
    expect(denominator).toBe(expected.denominator)
    expect(Math.abs(loss / expected.loss - 1)).toBeLessThan(1e-5)
    expect(Math.abs(norm / expected.unclipped_gradient_norm - 1)).toBeLessThan(1e-5)
    if (i === 0) expect(Math.abs(loss - log.wrong_mean_of_response_means_loss_step0)).toBeGreaterThan(1e-3)
    let [difference, moved, largest] = [0, 0, 0]
    for (const spec of state.specs) {
      const reference = readTensor(steps, `step${i + 1}.${spec.name}`) as ArrayLike<number>
      for (let k = 0; k < spec.size; k++) {
        const [ours, theirs] = [state.data[spec.offset + k]!, reference[k]!]
        difference += (ours - theirs) ** 2
        moved += (theirs - start[spec.offset + k]!) ** 2
        largest = Math.max(largest, Math.abs(ours - theirs))
      }
    }
    // A small rate's step is near the float32 grid of the parameters: PyTorch's own float32 is off by up to 1e-3.
    expect(Math.sqrt(difference / moved)).toBeLessThan(1e-2)
    expect(largest).toBeLessThan(2 * log.steps_f64.slice(0, i + 1).reduce((sum, step) => sum + step.lr, 0))
  }
})

test('two responses of different length: the loss is the token mean, not the mean of response means', async () => {
  const [short, long] = [...encoded[0]!]
    .sort((a, b) => a.completionIds.length - b.completionIds.length)
    .filter((_, i, all) => i === 0 || i === all.length - 1)
  const state = emptyState(loraSpecs(context.base.config, 8, { head: false }))
  const learner = new Learner(roleOf(state, 8, 16, 'none'))
  const lossOf = async (rows: (typeof encoded)[0]) =>
    (await sftTask(context, rows, rows.length).accumulate(learner, rows)).loss
  const [a, b, both] = [await lossOf([short!]), await lossOf([long!]), await lossOf([short!, long!])]
  const [n, m] = [short!.completionIds.length, long!.completionIds.length]
  expect(n).not.toBe(m)
  expect(both).toBeCloseTo((a * n + b * m) / (n + m), 5)
  expect(Math.abs(both - (a + b) / 2)).toBeGreaterThan(1e-4)
})
