/** Damaged JSON files of a checkpoint or an adapter: the reader refuses or reads, it never fails in another way. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'
import { checkpoints, editedCopy, golden, scratchFolder } from './checkpoint-fixtures.ts'
import { openBase } from './hf-folder.ts'
import { readPeft } from './peft.ts'
import { openTokenizer } from './tokenizer.ts'

const scratch = scratchFolder()

/** A small generator, so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const values: readonly unknown[] = [null, true, -1, 0, 1e300, 0.5, '', 'x', [], [null], {}, { a: 1 }]

/** Replaces one value, chosen at random, anywhere in a JSON tree. */
function mutate(root: unknown, draw: (below: number) => number): unknown {
  if (typeof root !== 'object' || root === null || Object.keys(root).length === 0 || draw(8) === 0) {
    return values[draw(values.length)]
  }
  const keys = Object.keys(root)
  const key = keys[draw(keys.length)]!
  const copy = (Array.isArray(root) ? [...(root as unknown[])] : { ...root }) as Record<string, unknown>
  copy[key] = mutate(copy[key], draw)
  return copy
}

const base = openBase(join(checkpoints, 'base_f32'))
const targets: [string, string, string, (dir: string) => unknown][] = [
  ['config.json', 'config', join(checkpoints, 'base_f32'), openBase],
  ['generation_config.json', 'generation', join(checkpoints, 'base_f32'), openBase],
  ['model.safetensors.index.json', 'index', join(checkpoints, 'sharded_bf16'), openBase],
  ['adapter_config.json', 'adapter', join(golden, 'lora/peft_adapter'), (dir) => readPeft(dir, base)],
  ['tokenizer_config.json', 'tokenizer-config', join(checkpoints, 'base_f32'), useTokenizer],
  ['tokenizer.json', 'tokenizer', join(checkpoints, 'base_f32'), useTokenizer],
]

function useTokenizer(dir: string): void {
  const tokenizer = openTokenizer(dir)
  const ids = tokenizer.encode('Hello, 12 <|im_end|> ß')
  tokenizer.decode(ids)
  tokenizer.renderChat([{ role: 'user', content: 'Hi' }])
}

for (const [file, name, source, use] of targets) {
  it(`${file}: changed values and flipped bytes give BadInput or a usable folder`, () => {
    const dir = editedCopy(source, join(scratch, name))
    const path = join(dir, file)
    const original = readFileSync(path)
    const draw = random(49)
    for (let round = 0; round < 150; round++) {
      let damaged: string | Buffer
      if (round % 2 === 0) damaged = JSON.stringify(mutate(JSON.parse(original.toString()), draw))
      else {
        damaged = Buffer.from(original)
        const at = draw(damaged.length)
        damaged[at] = damaged[at]! ^ (1 << draw(8))
      }
      writeFileSync(path, damaged)
      try {
        use(dir)
      } catch (error) {
        expect(error, `round ${round}: ${String(damaged).slice(0, 200)}`).toBeInstanceOf(BadInput)
      }
    }
  })
}
