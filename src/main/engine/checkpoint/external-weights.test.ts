import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { BaseModel } from './base-model.ts'
import { checkpoints, expectBadInput, scratchFolder } from './checkpoint-fixtures.ts'
import { float32File } from './external-weights.ts'
import { openBase } from './hf-folder.ts'

const scratch = scratchFolder()

function expectValues(base: BaseModel, { file, offsets }: ReturnType<typeof float32File>): void {
  const bytes = readFileSync(file)
  expect([...offsets.keys()]).toEqual([...base.tensors.keys()])
  for (const [name, { offset, length }] of offsets) {
    const values = new Float32Array(Uint8Array.from(bytes.subarray(offset, offset + length)).buffer)
    expect(values).toEqual(base.float32(name))
  }
}

describe('the float32 file', () => {
  it('is the checkpoint itself where that is one float32 file', () => {
    const base = openBase(join(checkpoints, 'base_f32'))
    const cache = join(scratch, 'unused')
    const weights = float32File(base, cache)
    expect(weights.file).toBe(join(checkpoints, 'base_f32/model.safetensors'))
    expectValues(base, weights)
    expect(existsSync(cache)).toBe(false)
  })

  it('is expanded once from BF16 and from shards, on page boundaries', () => {
    for (const name of ['untied_bf16', 'sharded_bf16']) {
      const base = openBase(join(checkpoints, name))
      const cache = join(scratch, 'cache', name)
      const weights = float32File(base, cache)
      expect(weights.file).toBe(join(cache, `${base.sha256()}.f32`))
      expectValues(base, weights)
      for (const { offset } of weights.offsets.values()) expect(offset % 4096).toBe(0)
      const { mtimeNs } = statSync(weights.file, { bigint: true })
      expect(float32File(base, cache)).toEqual(weights)
      expect(statSync(weights.file, { bigint: true }).mtimeNs).toBe(mtimeNs)
      expect(readdirSync(cache).length).toBe(1)
    }
  })

  it('is refused where a weight is not finite, with file, tensor and element', () => {
    const dir = join(scratch, 'not finite')
    cpSync(join(checkpoints, 'base_bf16'), dir, { recursive: true })
    const tensor = openBase(dir).tensors.get('model.norm.weight')!
    const bytes = readFileSync(tensor.file)
    bytes.writeUInt16LE(0x7f80, tensor.offset + 2 * 5)
    chmodSync(tensor.file, 0o644)
    writeFileSync(tensor.file, bytes)
    const cache = join(scratch, 'not finite cache')
    expectBadInput(
      () => float32File(openBase(dir), cache),
      /model\.safetensors: element 5 is Infinity; the checkpoint is damaged \(tensor model\.norm\.weight\)$/,
    )
    expect(readdirSync(cache)).toEqual([])
  })

  it('is made again when it was cut short', () => {
    const base = openBase(join(checkpoints, 'base_bf16'))
    const cache = join(scratch, 'cut')
    const { file } = float32File(base, cache)
    truncateSync(file, 100)
    expectValues(base, float32File(base, cache))
  })

  it('is refused where no cache can be made', () => {
    const base = openBase(join(checkpoints, 'base_bf16'))
    writeFileSync(join(scratch, 'file'), '')
    expectBadInput(() => float32File(base, join(scratch, 'file')), /cache folder cannot be made/)
  })

  it('is refused before writing when the disk is too small, with both figures', () => {
    const base = openBase(join(checkpoints, 'base_bf16'))
    const cache = join(scratch, 'small')
    const noRoom = () => 1_000_000
    expectBadInput(() => float32File(base, cache, noRoom), /needs \d+ MB, the disk has 1 MB free/)
    expect(readdirSync(cache)).toEqual([])
  })
})
