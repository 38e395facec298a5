/** Masked readings against a decoder in plain loops, and what must hold whatever the rows: exact zeros, bounds, invariance. */
import { expect, test } from 'vitest'
import type { InContextRow } from '../../../../shared/in-context.ts'
import type { ScoredPrompt } from '../../../rows/encode-scored-examples.ts'
import { checkpoints } from '../../checkpoint/checkpoint-fixtures.ts'
import { openBase } from '../../checkpoint/hf-folder.ts'
import { freshRole } from '../../learn/role.ts'
import { Model } from '../../nn/model.ts'
import { FrozenWeights } from '../../nn/weights.ts'
import { TorchRandom } from '../../random/torch-random.ts'
import { resolveDevice } from '../../runtime/device.ts'
import { distributionShift, divergence, logSoftmax } from './distribution-shift.ts'
import { promptsOf, readInContext } from './in-context.ts'
import { type MaskedPrompt, type MaskedReading, readMasked } from './masked-reading.ts'
import { plainDecoder } from './plain-decoder-fixture.ts'

const base = openBase(`${checkpoints}/base_f32`)
const device = resolveDevice('cpu', 1)
const exact = new Model(new FrozenWeights(base), { device, float: 'float64' })
const fused = new Model(new FrozenWeights(base), { device })
const role = freshRole(base, { rank: 4, alpha: 8, head: 'none', seed: 1 })
new TorchRandom(2).normal(role.state.data, 0, 0.1)

const named = (id: number) => `token ${id}`
/** Two examples of five tokens, the fourth the score, between `before` and `after` tokens. */
function scored(id: string, before: number, after: number, seed: number): ScoredPrompt {
  const draw = (count: number, salt: number) =>
    Array.from({ length: count }, (_, i) => (seed * 131 + salt * 37 + i * i * 17 + i * 29) % base.config.vocabSize)
  const example = (start: number, score: number) => ({
    score,
    start,
    end: start + 5,
    scoreColumns: { start: start + 3, end: start + 4 },
  })
  const ids = [...draw(before, 1), ...draw(10, 2), ...draw(after, 3)]
  const span = { start: before, end: before + 10 }
  const swapped = [...ids]
  ;[swapped[before + 3], swapped[before + 8]] = [ids[before + 8]!, ids[before + 3]!]
  return {
    id,
    ids,
    span,
    examples: [example(before, 0), example(before + 5, 1)],
    control: {
      ids: swapped,
      span,
      examples: [example(before, 1), example(before + 5, 0)],
      order: 'reversed',
      samePositions: true,
    },
  }
}
const rows = [scored('a', 3, 4, 1), scored('b', 1, 9, 2), scored('c', 6, 1, 3)]
const bare: ScoredPrompt = { id: 'bare', ids: [5, 17, 80, 33], span: { start: 2, end: 2 }, examples: [], control: null }

async function readings(prompts: readonly MaskedPrompt[], shape = { batch: 2, columns: 24 }): Promise<MaskedReading[]> {
  const all: MaskedReading[] = []
  await readMasked(exact, null, prompts, shape, (reading) => all.push(reading))
  return all
}
const sees =
  ({ span, hiddenIn }: MaskedPrompt) =>
  (layer: number, query: number, key: number) =>
    !(query >= span.end && key >= span.start && key < span.end && (hiddenIn === 'all' || hiddenIn === layer))
const close = (a: ArrayLike<number>, b: ArrayLike<number>, tolerance: number) => {
  expect(a.length).toBe(b.length)
  for (let i = 0; i < a.length; i++) expect(Math.abs(a[i]! - b[i]!)).toBeLessThan(tolerance)
}

test('logits and attention of every mask are those of a decoder in plain loops', async () => {
  const prompts = promptsOf(rows[0]!, base.config.layers)
  expect(prompts.map(({ hiddenIn }) => hiddenIn)).toEqual(['none', 'all', 0, 1, 'none'])
  const read = await readings(prompts)
  prompts.forEach((prompt, k) => {
    const plain = plainDecoder(base, prompt.ids, sees(prompt))
    close(read[k]!.logits, plain.logits, 1e-8)
    read[k]!.layers.forEach(({ weights }, layer) => {
      weights.forEach((ofHead, h) => {
        close(ofHead, plain.weights[layer]![h]!, 1e-10)
      })
    })
  })
}, 60_000)

test('the row: divergences, masses and updates are those of the plain decoder', async () => {
  const row = rows[0]!
  const [read] = await readInContext(exact, null, [row], named)
  const plain = promptsOf(row, base.config.layers).map((prompt) => plainDecoder(base, prompt.ids, sees(prompt)))
  const logs = plain.map(({ logits }) => logSoftmax(logits))
  const expected = distributionShift(logs[0]!, logs[1]!)
  expect(expected.kl).toBeGreaterThan(1e-6)
  for (const [name, value] of Object.entries(expected))
    expect(Math.abs(read!.shift[name as keyof typeof expected] - value), name).toBeLessThan(1e-8)
  expect(Math.abs(read!.scores!.shift.kl - divergence(logs[0]!, logs[4]!))).toBeLessThan(1e-8)
  read!.layers.forEach((layer, l) => {
    const inside = plain[0]!.weights[l]!.map((weights) => weights.slice(3, 13).reduce((sum, value) => sum + value, 0))
    expect(layer.mass_max).toBeCloseTo(Math.max(...inside), 9)
    expect(layer.mass_mean).toBeCloseTo(inside.reduce((sum, value) => sum + value, 0) / inside.length, 9)
    // The layer's inputs are the same where it alone is masked: its output then is o′, computed by a masked softmax.
    const [o, without] = [plain[0]!.outputs[l]!, plain[2 + l]!.outputs[l]!]
    expect(layer.output_norm).toBeCloseTo(Math.hypot(...o), 8)
    expect(layer.update_norm).toBeCloseTo(Math.hypot(...o.map((value, d) => value - without[d]!)), 8)
    expect(layer.update_norm).toBeGreaterThan(0)
    expect(layer.update_norm).toBeLessThanOrEqual(layer.update_bound!)
    expect(layer.kl_alone).toBeCloseTo(divergence(logs[0]!, logs[2 + l]!), 9)
  })
  // Text and score together are all of the examples.
  const masses = read!.examples.map(({ mass }) => mass)
  expect(masses[0]! + masses[1]!).toBeCloseTo(read!.mass_mean, 12)
}, 60_000)

test('what is masked everywhere leaves no trace: other examples give the same q', async () => {
  const { ids, span } = rows[0]!
  const others = ids.map((id, j) => (j >= span.start && j < span.end ? (id + 101) % base.config.vocabSize : id))
  const masked = (given: readonly number[], hiddenIn: MaskedPrompt['hiddenIn']) => ({ ids: given, span, hiddenIn })
  const [q, other, p] = await readings([masked(ids, 'all'), masked(others, 'all'), masked(others, 'none')])
  close(q!.logits, other!.logits, 1e-12)
  expect(distributionShift(logSoftmax(q!.logits), logSoftmax(p!.logits)).kl).toBeGreaterThan(1e-6)
})

test.each([
  ['float64', exact, null],
  ['float32', fused, role],
] as const)('%s: a row without examples has mass 0 and a shift of exactly 0', async (_name, model, policy) => {
  const [read] = await readInContext(model, policy, [bare], named)
  expect(read!.shift).toEqual({
    kl: 0,
    kl_reverse: 0,
    total_variation: 0,
    log_ratio_range: 0,
    kl_bound: 0,
    pinsker_bound: 0,
  })
  expect(read).toMatchObject({ mass_mean: 0, mass_max: 0, example_tokens: 0, examples: [], scores: null })
  for (const { update_norm, update_bound, kl_alone } of read!.layers)
    expect([update_norm, update_bound, kl_alone]).toEqual([0, 0, 0])
})

test('whatever the rows: bounds hold, masses lie in 0 to 1, and numbers are finite', async () => {
  const many = Array.from({ length: 12 }, (_, k) => scored(`r${k}`, 1 + (k % 5), 1 + ((k * 3) % 7), 10 + k))
  for (const read of await readInContext(fused, role, many, named)) {
    const shifts = [read.shift, read.scores!.shift]
    for (const { kl, kl_reverse, kl_bound, total_variation, pinsker_bound } of shifts) {
      expect(Math.max(kl, kl_reverse)).toBeLessThanOrEqual(kl_bound)
      expect(total_variation).toBeLessThanOrEqual(pinsker_bound)
      expect(kl).toBeGreaterThan(0)
    }
    for (const { mass_mean, mass_max, update_norm, update_bound } of read.layers) {
      expect(mass_mean).toBeGreaterThan(0)
      expect(mass_max).toBeLessThan(1)
      expect(mass_mean).toBeLessThanOrEqual(mass_max)
      expect(update_norm!).toBeLessThanOrEqual(update_bound!)
    }
    for (const { mass, score_mass } of read.examples) expect(score_mass).toBeLessThan(mass)
    const changes = read.changed_tokens.map((token) => Math.abs(token.with - token.without))
    expect(changes).toEqual(changes.toSorted((a, b) => b - a))
    expect(changes.length).toBe(8)
  }
})

test('neither padding, nor the batch, nor the order of the rows changes a number', async () => {
  const plain = await readInContext(exact, role, rows, named)
  const padded = await readInContext(exact, role, rows, named, undefined, { batch: 3, columns: 40 })
  const backwards = await readInContext(exact, role, rows.toReversed(), named, undefined, { batch: 5, columns: 24 })
  const numbers = (row: InContextRow) =>
    [row.shift, row.scores!.shift, ...row.layers, ...row.examples].flatMap((part) =>
      Object.values(part).map((value) => Number(value)),
    )
  plain.forEach((row, i) => {
    close(numbers(padded[i]!), numbers(row), 1e-11)
    close(numbers(backwards[rows.length - 1 - i]!), numbers(row), 1e-11)
  })
})

test('both profiles give the same reading', async () => {
  const portable = new Model(new FrozenWeights(base), { device, profile: 'portable' })
  const read = await Promise.all([exact, fused, portable].map((model) => readInContext(model, role, rows, named)))
  const figures = ({ shift, layers }: InContextRow) => [shift.kl, shift.kl_bound, ...layers.map((l) => l.update_norm!)]
  for (const other of read.slice(1))
    other.forEach((row, i) => {
      close(figures(row), figures(read[0]![i]!), 1e-4)
    })
})
