/** What a reading must not depend on: padding, companions and their order, what lies behind a mask, ids that look like padding. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openBase } from '../checkpoint/hf-folder.ts'
import { emptyState, type LearnedState } from '../checkpoint/learned-state.ts'
import { loraSpecs } from '../checkpoint/lora-layout.ts'
import { readSafetensorsHeader, readTensor } from '../checkpoint/safetensors.ts'
import { resolveDevice } from '../runtime/device.ts'
import { type BatchShape, cutToRows, layOutBatch, perToken, shapeFor, type TokenRow } from './batch.ts'
import { Model } from './model.ts'
import { logProbObjective, ppoActorObjective, valuesObjective } from './objectives.ts'
import { FrozenWeights } from './weights.ts'

const golden = (path: string) => new URL(`../../../../test/golden/${path}`, import.meta.url).pathname
const base = openBase(golden('checkpoints/base_f32'))
const model = new Model(new FrozenWeights(base), { device: resolveDevice('cpu', 2) })
const exact = new Model(new FrozenWeights(base), { device: resolveDevice('cpu', 2), float: 'float64' })

function adapter(head: boolean): LearnedState {
  const state = emptyState(loraSpecs(base.config, 8, { head }))
  const header = readSafetensorsHeader(golden('reward/adapter.safetensors'))
  for (const spec of state.specs) state.data.set(readTensor(header, spec.name) as Float32Array, spec.offset)
  return state
}
const policy = adapter(false)
const judge = adapter(true)
const layout = (state: LearnedState) => ({ specs: state.specs, loraScale: 2 })
const row = (seed: number, prompt: number, response: number): TokenRow => ({
  promptIds: Array.from({ length: prompt }, (_, i) => (i * 37 + seed * 11 + 5) % 500),
  completionIds: Array.from({ length: response }, (_, i) => (i * 53 + seed * 7 + 3) % 500),
})
const rows = [row(1, 9, 5), row(2, 30, 1), row(3, 17, 12), row(4, 1, 7)]
const logProbs = async (m: Model, batch: ReturnType<typeof layOutBatch>) =>
  cutToRows((await m.evaluate('log-probs', logProbObjective, layout(policy), policy, batch)).log_probs!, batch)
const largest = (a: readonly (readonly number[])[], b: readonly (readonly number[])[]) =>
  Math.max(...a.flatMap((values, i) => values.map((value, t) => Math.abs(value - b[i]![t]!))))

test('log-probabilities do not depend on padding, batch size or the order of rows', async () => {
  const shape = shapeFor(rows, 4)
  const reference = await logProbs(exact, layOutBatch(rows, shape))
  const wide: BatchShape = { batch: 7, prompt: shape.prompt + 24, response: shape.response + 16 }
  expect(largest(await logProbs(exact, layOutBatch(rows, wide)), reference)).toBeLessThan(1e-12)
  const turned = await logProbs(exact, layOutBatch(rows.toReversed(), shape))
  expect(largest(turned.toReversed(), reference)).toBeLessThan(1e-12)
  // float32: the sums inside a kernel may be taken in another order, no more.
  const single = await Promise.all(
    rows.map(async (r) => (await logProbs(model, layOutBatch([r], shapeFor([r], 1))))[0]!),
  )
  expect(largest(single, reference)).toBeLessThan(1e-4)
})

test('the reward is read at the last response token: with an active PAD, EOS inside the prompt, alone or in a batch', async () => {
  const file = readSafetensorsHeader(golden('reward/pooling.safetensors'))
  const numbers = (name: string) => Array.from(readTensor(file, name) as ArrayLike<number | bigint>, Number)
  for (const side of ['right', 'left']) {
    const time = file.tensors.get(`${side}.input_ids`)!.shape[1]!
    const [ids, attention, response, expected, trap] = [
      'input_ids',
      'attention_mask',
      'response_mask',
      'scores_f64',
      'trap_scores_at_last_column_f64',
    ].map((name) => numbers(`${side}.${name}`)) as [number[], number[], number[], number[], number[]]
    const fixture = expected.map((_, b): TokenRow => {
      const at = Array.from({ length: time }, (_, t) => b * time + t).filter((k) => attention[k] === 1)
      const first = at.findIndex((k) => response[k] === 1)
      const answer = at.filter((k) => response[k] === 1)
      return { promptIds: at.slice(0, first).map((k) => ids[k]!), completionIds: answer.map((k) => ids[k]!) }
    })
    const read = async (some: readonly TokenRow[]) => {
      const batch = layOutBatch(some, shapeFor(some, some.length))
      const { values } = await model.evaluate('values', valuesObjective, layout(judge), judge, batch)
      return some.map((r, b) => values![b * (batch.shape.response + 1) + r.completionIds.length]!)
    }
    const together = await read(fixture)
    for (const [b, score] of together.entries()) {
      expect(Math.abs(score - expected[b]!)).toBeLessThan(2e-4)
      expect(Math.abs((await read([fixture[b]!]))[0]! - expected[b]!)).toBeLessThan(2e-4)
    }
    // The wrong reading differs somewhere, or the fixture would prove nothing.
    expect(Math.max(...expected.map((value, b) => Math.abs(value - trap[b]!)))).toBeGreaterThan(1e-2)
  }
})

test('a NaN behind the mask reaches neither the loss nor the gradient; under the mask it reaches both', async () => {
  const some = rows.slice(0, 3)
  const batch = layOutBatch(some, shapeFor(some, 3))
  const old = await logProbs(model, batch)
  const weights = perToken(
    some.map((r) => r.completionIds.map(() => 1 / (r.completionIds.length * 3))),
    batch.shape,
  )
  const run = async (spoil: (values: Float32Array) => void) => {
    const feeds = {
      old_log_probs: perToken(old, batch.shape),
      advantages: perToken(
        some.map((r) => r.completionIds.map((_, t) => t - 1.5)),
        batch.shape,
      ),
      weights,
    }
    for (const name of ['old_log_probs', 'advantages'] as const) spoil(feeds[name].data as Float32Array)
    const gradient = { specs: policy.specs, data: new Float32Array(policy.data.length) }
    const { loss } = await model.evaluate(
      'actor',
      ppoActorObjective(0.2),
      layout(policy),
      policy,
      batch,
      feeds,
      gradient,
    )
    return { loss: loss![0]!, gradient: gradient.data }
  }
  const clean = await run(() => {})
  // Row 1 has one response token: its second column is behind the mask.
  const behind = await run((values) => values.fill(Number.NaN, batch.shape.response + 1, batch.shape.response + 2))
  expect(behind.loss).toBe(clean.loss)
  expect(behind.gradient).toEqual(clean.gradient)
  expect(Number.isNaN((await run((values) => values.fill(Number.NaN, 0, 1))).loss)).toBe(true)
})

test('greedy golden ids were reached with margins that float32 cannot cross', () => {
  const { cases } = JSON.parse(readFileSync(golden('forward/greedy.json'), 'utf8')) as {
    cases: { min_top1_top2_margin: number }[]
  }
  for (const { min_top1_top2_margin } of cases) expect(min_top1_top2_margin).toBeGreaterThan(2 * 2e-4)
})
