import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectBadInput, golden, scratchFolder } from './checkpoint-fixtures.ts'
import { readResumeState, writeResumeState } from './resume-state.ts'
import { readSafetensorsHeader, writeSafetensors } from './safetensors.ts'

const scratch = scratchFolder()
const path = join(scratch, 'state.safetensors')

const state = {
  meta: { update: 3, rng: { index: 12, seed: 49 }, order: [3, 1, 2], rate: 1e-5, note: 'ä' },
  tensors: {
    learned: new Float32Array([1, -0, Number.NaN, Number.NEGATIVE_INFINITY, 1e-45]),
    moments: new Float64Array([Math.PI]),
    generator: new Uint32Array([1, 0xffffffff]),
    order: new Int32Array([-1, 2]),
    bytes: new Uint8Array([1, 2, 3]),
    empty: new Float32Array(0),
  },
}

describe('resume state', () => {
  it('comes back bit for bit, with its meta data', () => {
    writeResumeState(path, state)
    const back = readResumeState(path)
    expect(back.meta).toEqual(state.meta)
    expect(Object.keys(back.tensors).sort()).toEqual(Object.keys(state.tensors).sort())
    for (const [name, values] of Object.entries(state.tensors)) {
      const read = back.tensors[name]!
      expect(read.constructor).toBe(values.constructor)
      expect(Buffer.from(read.buffer, read.byteOffset, read.byteLength).equals(Buffer.from(values.buffer))).toBe(true)
    }
  })

  it('takes views into a larger buffer', () => {
    const whole = new Float32Array([1, 2, 3, 4])
    writeResumeState(path, { meta: {}, tensors: { part: whole.subarray(1, 3) } })
    expect(readResumeState(path).tensors.part).toEqual(new Float32Array([2, 3]))
  })

  it('gives equal bytes for equal data, whatever the order of keys, and leaves nothing else behind', () => {
    writeResumeState(path, state)
    const first = readFileSync(path)
    writeResumeState(path, {
      meta: Object.fromEntries(Object.entries(state.meta).reverse()),
      tensors: Object.fromEntries(Object.entries(state.tensors).reverse()),
    })
    expect(readFileSync(path).equals(first)).toBe(true)
    expect(readdirSync(scratch)).toEqual(['state.safetensors'])
  })

  it('refuses meta data that JSON would change, and keeps the old state', () => {
    writeResumeState(path, state)
    expect(() => writeResumeState(path, { meta: { loss: [0, Number.NaN] }, tensors: {} })).toThrow(
      /\$\.loss\[1\] is NaN/,
    )
    expect(readResumeState(path).meta).toEqual(state.meta)
  })
})

describe('damage', () => {
  it('every flipped byte is refused, in a tensor by the name of the tensor', () => {
    writeResumeState(path, state)
    const bytes = readFileSync(path)
    const header = readSafetensorsHeader(path)
    const owners = [...header.tensors].map(([name, { begin, end }]) => ({ name, begin, end }))
    const damagedPath = join(scratch, 'damaged.safetensors')
    for (let at = 0; at < bytes.length; at++) {
      for (const mask of [0x01, 0x2a, 0x20]) {
        const damaged = Buffer.from(bytes)
        damaged[at] = damaged[at]! ^ mask
        writeFileSync(damagedPath, damaged)
        const position = at - header.dataOffset
        const owner = owners.find(({ begin, end }) => position >= begin && position < end)
        const message = owner === undefined ? /./ : new RegExp(`does not match its hash \\(tensor ${owner.name}\\)`)
        expectBadInput(() => readResumeState(damagedPath), message, `byte ${at}`)
      }
    }
  })

  it('a missing or added tensor is refused', () => {
    writeResumeState(path, state)
    const { metadata } = readSafetensorsHeader(path)
    const tensors = { bytes: { dtype: 'U8' as const, shape: [3], bytes: state.tensors.bytes } }
    writeSafetensors(path, tensors, metadata)
    expectBadInput(() => readResumeState(path), /does not match its hash \(metadata\)/)
    const { 'sha256:empty': _removed, ...fewer } = metadata
    writeSafetensors(path, tensors, fewer)
    expectBadInput(() => readResumeState(path), /\(metadata\)/)
  })

  it('other files are told apart', () => {
    expectBadInput(() => readResumeState(join(scratch, 'nowhere')), /file not found/)
    expectBadInput(() => readResumeState(join(golden, 'reward/adapter.safetensors')), /is not a resume state/)
  })
})
