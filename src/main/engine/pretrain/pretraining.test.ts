/** Full-parameter training: exact gradients, and the same bytes from two processes. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openBase } from '../checkpoint/hf-folder.ts'
import { openTokenizer } from '../checkpoint/tokenizer.ts'
import { Model } from '../nn/model.ts'
import { FrozenWeights } from '../nn/weights.ts'
import { resolveDevice } from '../runtime/device.ts'
import { initialWeights, untrainedBase } from './initial-weights.ts'
import { provenanceFile } from './pretrain.ts'
import { documentLoss } from './pretraining.ts'
import { officeTiny, type PretrainRecipe } from './recipe.ts'

const dir = mkdtempSync(path.join(tmpdir(), 'pretrain-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const small: PretrainRecipe = {
  ...officeTiny,
  name: 'test-size',
  model: { ...officeTiny.model, hiddenSize: 16, intermediateSize: 24, layers: 2, headDim: 4, vocabSize: 400 },
  tokenizerDocuments: 200,
  steps: 4,
  batchRows: 3,
}

test('the gradient of every kind of tensor equals finite differences', async () => {
  const { model: config } = small
  const model = new Model(new FrozenWeights(untrainedBase('test', config, [1])), {
    device: resolveDevice('cpu', 2),
    float: 'float64',
  })
  // Larger weights than a fresh model's, so that attention is not uniform.
  const state = initialWeights(config, 7, 0.3)
  const layout = { specs: state.specs, loraScale: 0 }
  const documents = [
    [3, 9, 27, 81, 9, 27],
    [5, 25, 125, 5],
  ]
  const gradient = { specs: state.specs, data: new Float64Array(state.data.length) }
  await documentLoss(model, layout, state, documents, gradient)

  // Powers of two: the perturbed float32 values are exact.
  const step = 2 ** -14
  for (const { name, offset, size } of state.specs) {
    if (name.includes('layers.1.')) continue
    // A row of the table that a document uses; elsewhere any element.
    const at = offset + (name === 'model.embed_tokens.weight' ? 9 * config.hiddenSize + 3 : Math.floor(size / 2))
    const before = state.data[at]!
    const loss = async (value: number) => {
      state.data[at] = value
      return [state.data[at]!, await documentLoss(model, layout, state, documents)] as const
    }
    const [above, high] = await loss(before + step)
    const [below, low] = await loss(before - step)
    state.data[at] = before
    expect(Math.abs((high - low) / (above - below) - gradient.data[at]!), name).toBeLessThan(1e-7)
  }
})

test('two processes write the same bytes, in the folder that every other command opens', () => {
  const make = (name: string): string => {
    const out = path.join(dir, name)
    const call = { out, threads: 2, recipe: small }
    const script = `import { pretrain } from ${JSON.stringify(new URL('./pretrain.ts', import.meta.url).href)}
await pretrain(${JSON.stringify(call)})`
    execFileSync(process.execPath, ['--input-type=module', '-e', script])
    return out
  }
  const [first, second] = [make('first'), make('second')]
  for (const name of ['model.safetensors', 'tokenizer.json', 'tokenizer_config.json', provenanceFile])
    expect(readFileSync(path.join(first, name)).equals(readFileSync(path.join(second, name))), name).toBe(true)
  expect(openBase(first).config).toEqual(small.model)
  expect(openTokenizer(first).size).toBe(400)
})
