import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'
import { writeFileAtomically } from './atomic-write.ts'
import { expectBadInput, golden, scratchFolder } from './checkpoint-fixtures.ts'
import {
  readSafetensorsHeader,
  readTensor,
  readTensorBytes,
  type TensorToWrite,
  writeSafetensors,
} from './safetensors.ts'

const scratch = scratchFolder()

/** A file with any header text and data; the length field is right unless given. */
function craft(header: string | Uint8Array, data: number, length?: bigint): string {
  const text = Buffer.from(header)
  const start = Buffer.alloc(8)
  start.writeBigUInt64LE(length ?? BigInt(text.length))
  const path = join(scratch, 'crafted.safetensors')
  writeFileSync(path, Buffer.concat([start, text, Buffer.alloc(data)]))
  return path
}

const tensor = (shape: number[], begin: number, end: number, dtype = 'F32') => ({
  dtype,
  shape,
  data_offsets: [begin, end],
})
const read = (path: string) => () => readSafetensorsHeader(path)

function readEverything(path: string): void {
  const header = readSafetensorsHeader(path)
  for (const name of header.tensors.keys()) readTensor(header, name)
}

const sample: Record<string, TensorToWrite> = {
  flags: { dtype: 'BOOL', shape: [3], bytes: new Uint8Array([1, 0, 1]) },
  b: { dtype: 'F32', shape: [2, 2], bytes: new Uint8Array(new Float32Array([1, -2, 3.5, 1e-20]).buffer) },
  a: { dtype: 'F32', shape: [], bytes: () => new Uint8Array(new Float32Array([7]).buffer) },
  'schlüssel "x"': { dtype: 'F64', shape: [1], bytes: new Uint8Array(new Float64Array([Math.PI]).buffer) },
  none: { dtype: 'I64', shape: [0, 4], bytes: new Uint8Array(0) },
}

describe('writing and reading back', () => {
  it('keeps every dtype, shape, value and the metadata', () => {
    const path = join(scratch, 'round.safetensors')
    writeSafetensors(path, sample, { format: 'pt', note: 'ä\n' })
    const header = readSafetensorsHeader(path)
    expect(header.metadata).toEqual({ format: 'pt', note: 'ä\n' })
    expect([...header.tensors.keys()]).toEqual(['none', 'schlüssel "x"', 'a', 'b', 'flags'])
    expect(readTensor(header, 'b')).toEqual(new Float32Array([1, -2, 3.5, 1e-20]))
    expect(readTensor(header, 'schlüssel "x"')).toEqual(new Float64Array([Math.PI]))
    expect(readTensor(header, 'none')).toEqual(new BigInt64Array(0))
    expect(readTensorBytes(header, 'flags')).toEqual(new Uint8Array([1, 0, 1]))
    expect(header.tensors.get('a')?.shape).toEqual([])
    expect(header.dataOffset % 8).toBe(0)
  })

  it('gives equal bytes whatever the order of the arguments', () => {
    const paths = ['one', 'two'].map((name) => join(scratch, `${name}.safetensors`))
    writeSafetensors(paths[0]!, sample, { a: '1', b: '2' })
    writeSafetensors(paths[1]!, Object.fromEntries(Object.entries(sample).reverse()), { b: '2', a: '1' })
    expect(readFileSync(paths[0]!).equals(readFileSync(paths[1]!))).toBe(true)
  })

  it('reads every golden file', () => {
    const files = readdirSync(golden, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.safetensors'),
    )
    expect(files.length).toBeGreaterThan(20)
    for (const file of files) readEverything(join(golden, file))
  })
})

describe('a write that fails', () => {
  it('leaves the old file and no temporary', () => {
    const dir = join(scratch, 'failing')
    mkdirSync(dir)
    const path = join(dir, 'state')
    writeFileSync(path, 'old')
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    function* chunks(): Generator<Uint8Array> {
      yield new Uint8Array(100)
      throw full
    }
    expect(() => writeFileAtomically(path, chunks())).toThrow(/state: the disk is full/)
    expect(() => writeSafetensors(path, { a: { dtype: 'F32', shape: [2], bytes: new Uint8Array(4) } })).toThrow(
      /4 bytes/,
    )
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(readdirSync(dir)).toEqual(['state'])
    expectBadInput(() => writeFileAtomically(join(dir, 'no', 'file'), []), /folder to write to does not exist/)
  })

  it('of a killed process is cleaned up by the next writer, that of a living one is not', () => {
    const dir = join(scratch, 'orphans')
    mkdirSync(dir)
    writeFileSync(join(dir, '.state.999999999.tmp'), 'half')
    writeFileSync(join(dir, `.state.${process.ppid}.tmp`), 'half')
    writeFileAtomically(join(dir, 'state'), [new Uint8Array(1)])
    expect(readdirSync(dir).sort()).toEqual([`.state.${process.ppid}.tmp`, 'state'])
  })
})

describe('malformed files', () => {
  it('are refused with the place', () => {
    const cases: [string, () => string, RegExp][] = [
      [
        'two keys',
        () =>
          craft(
            '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
            4,
          ),
        /"a" stands twice/,
      ],
      [
        'inner key',
        () => craft('{"a":{"dtype":"F32","dtype":"F16","shape":[1],"data_offsets":[0,4]}}', 4),
        /"dtype" stands twice/,
      ],
      ['dtype', () => craft(JSON.stringify({ a: tensor([1], 0, 4, 'F31') }), 4), /unknown dtype "F31" \(tensor a\)/],
      ['prototype', () => craft(JSON.stringify({ a: tensor([1], 0, 4, 'toString') }), 4), /unknown dtype/],
      ['negative', () => craft(JSON.stringify({ a: tensor([-1], 0, 4) }), 4), /not a list of sizes/],
      ['fraction', () => craft(JSON.stringify({ a: tensor([0.5], 0, 2) }), 2), /not a list of sizes/],
      [
        'unsafe',
        () => craft('{"a":{"dtype":"F32","shape":[9007199254740993],"data_offsets":[0,4]}}', 4),
        /not a list of sizes/,
      ],
      ['overflow', () => craft(JSON.stringify({ a: tensor([2 ** 40, 2 ** 40], 0, 4) }), 4), /too large/],
      ['rank', () => craft(JSON.stringify({ a: tensor(Array(17).fill(1), 0, 4) }), 4), /not a list of sizes/],
      [
        'product',
        () => craft(JSON.stringify({ a: tensor([3], 0, 8) }), 8),
        /needs 12 bytes, data_offsets give 8 \(tensor a\)/,
      ],
      ['backwards', () => craft(JSON.stringify({ a: tensor([1], 4, 0) }), 4), /run backwards/],
      ['past the end', () => craft(JSON.stringify({ a: tensor([4], 0, 16) }), 8), /file holds only 8 bytes/],
      [
        'overlap',
        () => craft(JSON.stringify({ a: tensor([2], 0, 8), b: tensor([2], 4, 12) }), 12),
        /overlap another tensor \(tensor b/,
      ],
      ['same place', () => craft(JSON.stringify({ a: tensor([2], 0, 8), b: tensor([2], 0, 8) }), 8), /overlap/],
      [
        'gap',
        () => craft(JSON.stringify({ a: tensor([1], 0, 4), b: tensor([1], 8, 12) }), 12),
        /4 bytes before it belong to no tensor \(tensor b/,
      ],
      ['tail', () => craft(JSON.stringify({ a: tensor([1], 0, 4) }), 6), /2 bytes at the end belong to no tensor/],
      ['offsets', () => craft('{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}}', 4), /two byte positions/],
      ['missing', () => craft('{"a":{"dtype":"F32","shape":[1]}}', 4), /two byte positions/],
      ['extra key', () => craft('{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":1}}', 4), /unknown key "x"/],
      ['entry', () => craft('{"a":7}', 0), /not an object \(tensor a\)/],
      ['metadata', () => craft('{"__metadata__":{"a":1}}', 0), /not a string/],
      ['metadata list', () => craft('{"__metadata__":[]}', 0), /object of strings/],
      ['json', () => craft('{"a":}', 0), /not valid JSON/],
      ['list', () => craft('[]', 0), /does not begin with \{/],
      ['utf-8', () => craft(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 0), /not valid UTF-8/],
      ['bom', () => craft('\ufeff{}', 0), /does not begin with \{/],
      ['depth', () => craft(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 0), /./],
      ['length', () => craft('{}', 0, 3n), /ends inside its header/],
      ['huge length', () => craft('{}', 0, 2n ** 63n), /header length 9223372036854775808 is impossible/],
      ['no length', () => craft('{}', 0, 0n), /impossible/],
    ]
    for (const [name, make, message] of cases) expectBadInput(read(make()), message, name)
  })

  it('that are no file at all are told apart', () => {
    const empty = join(scratch, 'empty.safetensors')
    writeFileSync(empty, '')
    expectBadInput(read(empty), /empty.safetensors: the file is empty/)
    writeFileSync(empty, 'short')
    expectBadInput(read(empty), /only 5 bytes long/)
    expectBadInput(read(scratch), /is a folder/)
    expectBadInput(read(join(scratch, 'nowhere')), /file not found/)
    expectBadInput(read('a\0b'), /./)
    if (process.platform !== 'win32') {
      const pipe = join(scratch, 'pipe')
      execFileSync('mkfifo', [pipe])
      expectBadInput(read(pipe), /not a regular file/)
    }
  })
})

describe('fuzzing', () => {
  const path = join(scratch, 'fuzzed.safetensors')
  const source = join(scratch, 'source.safetensors')
  writeSafetensors(source, sample, { format: 'pt' })
  const bytes = readFileSync(source)

  it('every truncation is refused', () => {
    for (let length = 0; length < bytes.length; length++) {
      writeFileSync(path, bytes.subarray(0, length))
      expectBadInput(read(path), /./, `first ${length} bytes`)
    }
    writeFileSync(path, Buffer.concat([bytes, Buffer.alloc(1)]))
    expectBadInput(read(path), /1 bytes at the end/)
  })

  it('a flipped byte gives a whole file or BadInput, nothing else', () => {
    let refused = 0
    for (let at = 0; at < statSync(source).size; at++) {
      for (const mask of [0x01, 0x10, 0x20, 0x80, 0xff]) {
        const damaged = Buffer.from(bytes)
        damaged[at] = damaged[at]! ^ mask
        writeFileSync(path, damaged)
        try {
          readEverything(path)
        } catch (error) {
          expect(error).toBeInstanceOf(BadInput)
          refused++
        }
      }
    }
    expect(refused).toBeGreaterThan(1000)
  })
})
