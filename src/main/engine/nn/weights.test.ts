/** Weights in a memory-mapped file beside the model give the same numbers as weights inside it. */
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { float32File } from '../checkpoint/external-weights.ts'
import { openBase } from '../checkpoint/hf-folder.ts'
import { resolveDevice } from '../runtime/device.ts'
import { layOutBatch, shapeFor } from './batch.ts'
import { generate } from './generate.ts'
import { Model, noAdapter } from './model.ts'
import { logProbObjective } from './objectives.ts'
import { FrozenWeights } from './weights.ts'

const cache = mkdtempSync(path.join(tmpdir(), 'recompense-weights-'))
afterAll(() => rmSync(cache, { recursive: true, force: true }))
const golden = (name: string) => new URL(`../../../../test/golden/checkpoints/${name}`, import.meta.url).pathname

test.each(['base_f32', 'base_bf16', 'sharded_bf16', 'untied_bf16'])(
  '%s: external equals inline, in reading and in generation',
  async (name) => {
    const base = openBase(golden(name))
    const device = resolveDevice('cpu', 2)
    const external = float32File(base, cache)
    // A checkpoint that is float32 already is used where it lies; nothing is copied.
    expect(external.file.startsWith(cache)).toBe(name !== 'base_f32')
    const rows = [{ promptIds: [5, 9, 300], completionIds: [17, 4, 250, 8] }]
    const read = async (weights: FrozenWeights) => {
      const model = new Model(weights, { device })
      const batch = layOutBatch(rows, shapeFor(rows, 1))
      const { log_probs } = await model.evaluate('log-probs', logProbObjective, noAdapter, null, batch)
      const request = {
        prompts: [[5, 9, 300]],
        maxNewTokens: 8,
        eosIds: [],
        choice: { kind: 'greedy' },
        batch: 1,
        promptColumns: 8,
      } as const
      return { logProbs: Array.from(log_probs!), generated: await generate(model, noAdapter, null, request) }
    }
    const [inline, mapped] = [await read(new FrozenWeights(base)), await read(new FrozenWeights(base, external))]
    expect(mapped.generated.map((row) => row.tokenIds)).toEqual(inline.generated.map((row) => row.tokenIds))
    mapped.logProbs.forEach((value, i) => {
      expect(Math.abs(value - inline.logProbs[i]!)).toBeLessThan(1e-5)
    })
  },
)

test('a weight that is not finite is refused by file, tensor and element', async () => {
  const dir = path.join(cache, 'not finite')
  cpSync(golden('base_f32'), dir, { recursive: true })
  const { file, offset } = openBase(dir).tensors.get('model.layers.0.mlp.gate_proj.weight')!
  const bytes = readFileSync(file)
  bytes.writeFloatLE(Number.NaN, offset + 4 * 7)
  chmodSync(file, 0o644)
  writeFileSync(file, bytes)
  const model = new Model(new FrozenWeights(openBase(dir)), { device: resolveDevice('cpu', 1) })
  const rows = [{ promptIds: [5, 9], completionIds: [17] }]
  await expect(
    (async () =>
      model.evaluate('log-probs', logProbObjective, noAdapter, null, layOutBatch(rows, shapeFor(rows, 1))))(),
  ).rejects.toThrow(
    /model\.safetensors: element 7 is NaN; the checkpoint is damaged \(tensor model\.layers\.0\.mlp\.gate_proj\.weight\)$/,
  )
})
