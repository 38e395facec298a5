import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { BaseModel } from './base-model.ts'
import { checkpoints, expectBadInput, scratchFolder } from './checkpoint-fixtures.ts'
import { openBase } from './hf-folder.ts'
import { writeHfFolder } from './hf-write.ts'
import { readSafetensorsHeader } from './safetensors.ts'
import { openTokenizer } from './tokenizer.ts'

const scratch = scratchFolder()

function exported(base: BaseModel, dtype: 'F32' | 'BF16') {
  return {
    config: base.config,
    tensors: new Map([...base.tensors.keys()].map((name) => [name, base.float32(name)])),
    dtype,
    eosIds: base.eosIds,
    padId: 501,
    tokenizerFiles: {
      'tokenizer.json': readFileSync(join(base.dir, 'tokenizer.json')),
      'tokenizer_config.json': readFileSync(join(base.dir, 'tokenizer_config.json'), 'utf8'),
    },
  }
}

describe('writing a checkpoint', () => {
  it('gives a folder that opens as the same model, tied and untied', () => {
    for (const [name, dtype] of [
      ['base_f32', 'F32'],
      ['base_bf16', 'BF16'],
      ['untied_bf16', 'BF16'],
      ['rope_eps_bf16', 'BF16'],
    ] as const) {
      const base = openBase(join(checkpoints, name))
      const dir = join(scratch, name)
      writeHfFolder(dir, exported(base, dtype))
      const back = openBase(dir)
      expect(back.config).toEqual(base.config)
      expect(back.eosIds).toEqual(base.eosIds)
      expect(back.sha256()).toBe(base.sha256())
      expect(openTokenizer(dir).encode('Hi')).toEqual(openTokenizer(base.dir).encode('Hi'))
    }
  })

  it('never writes the output matrix of a tied model', () => {
    const base = openBase(join(checkpoints, 'base_f32'))
    const dir = join(scratch, 'tied')
    writeHfFolder(dir, exported(base, 'F32'))
    expect(readSafetensorsHeader(join(dir, 'model.safetensors')).tensors.has('lm_head.weight')).toBe(false)
    const model = exported(base, 'F32')
    model.tensors.set('lm_head.weight', base.float32('model.embed_tokens.weight'))
    expect(() => writeHfFolder(join(scratch, 'twice'), model)).toThrow(/lm_head.weight is no part of a tied model/)
  })

  it('gives equal bytes each time, and no half-written folder', () => {
    const base = openBase(join(checkpoints, 'base_f32'))
    const [one, two] = [join(scratch, 'one'), join(scratch, 'two')]
    writeHfFolder(one, exported(base, 'BF16'))
    writeHfFolder(two, exported(base, 'BF16'))
    for (const file of readdirSync(one))
      expect(readFileSync(join(one, file)).equals(readFileSync(join(two, file)))).toBe(true)
    expectBadInput(() => writeHfFolder(one, exported(base, 'F32')), /not empty/)
    const lacking = exported(base, 'F32')
    lacking.tensors.delete('model.norm.weight')
    expect(() => writeHfFolder(join(scratch, 'three'), lacking)).toThrow(/model.norm.weight: no values/)
    expect(readdirSync(scratch).filter((name) => name.startsWith('.') || name === 'three')).toEqual([])
  })
})
