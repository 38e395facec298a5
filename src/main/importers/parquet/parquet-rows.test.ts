/** Every way of writing that is read gives the same rows; every other is refused by name, forged lengths above all. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'
import { dump } from '../golden-dumps.ts'
import { runsFit, skipStruct } from './page-bounds.ts'
import { type Cell, openParquet } from './parquet-rows.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-parquet-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function read(path: string): Promise<ReadonlyMap<string, Cell>[]> {
  const parquet = openParquet(path)
  try {
    const rows: ReadonlyMap<string, Cell>[] = []
    for await (const row of parquet.rows()) rows.push(row)
    return rows
  } finally {
    parquet.close()
  }
}
const written = (bytes: Uint8Array): string => {
  const path = join(folder, 'forged.parquet')
  writeFileSync(path, bytes)
  return path
}
const names = readdirSync(dump('parquet'))

test.each(names.filter((name) => !name.includes('refused')))('%s', async (name) => {
  const rows = await read(dump('parquet', name))
  expect(rows).toHaveLength(6)
  expect([...rows[2]!]).toEqual([
    ['step', 3],
    ['prompt', 'Where is the cable?'],
    ['completion', 'It is answer 2, ünïcode 点 included.'],
    ['accuracy', null],
    ['flag', true],
    ['comment', 'c'],
    ['advantage', 0],
  ])
  expect(rows.map((row) => row.get('accuracy'))).toEqual([1, 0, null, 0.5, Number.NaN, 1])
  expect(rows.map((row) => row.get('comment'))).toEqual(['a', null, 'c', 'd', 'e', 'f'])
})

test.each([
  ['brotli_refused.parquet', /column "step" is compressed with BROTLI; UNCOMPRESSED, SNAPPY, GZIP, ZSTD are read/],
  ['pages2_refused.parquet', /a page of kind DATA_PAGE_V2; pages of version 1 are read/],
  ['delta_refused.parquet', /column "completion" is encoded as DELTA_BYTE_ARRAY/],
])('%s', async (name, message) => {
  await expect(read(dump('parquet', name))).rejects.toThrow(message)
})

describe('forged', () => {
  const plain = readFileSync(dump('parquet', 'dictionary.parquet'))
  const withFooterLength = (bytes: Buffer, length: number): Buffer => {
    bytes.writeUInt32LE(length, bytes.length - 8)
    return bytes
  }

  test.each<[string, (bytes: Buffer) => Uint8Array, RegExp]>([
    ['no parquet file', () => Buffer.from('PAR1 is how it begins, no more'), /is not a parquet file/],
    ['nothing', () => Buffer.alloc(0), /is not a parquet file/],
    ['a footer of 4 GB', (bytes) => withFooterLength(bytes, 0xffffffff), /announces a footer of 4294967295 bytes/],
    ['a footer longer than the file', (bytes) => withFooterLength(bytes, bytes.length), /announces a footer/],
    [
      'a cut file',
      (bytes) => Buffer.concat([bytes.subarray(0, 200), bytes.subarray(-8)]),
      /announces a footer|is cut short/,
    ],
  ])('%s', async (_name, forge, message) => {
    await expect(read(written(forge(Buffer.from(plain))))).rejects.toThrow(message)
  })

  test('a run of a billion missing values in place of six', async () => {
    // The first page's list of missing values: four bytes of length, then one run (6 << 1) of the value 1.
    const at = plain.indexOf(Buffer.from([2, 0, 0, 0, 12, 1]))
    expect(at).toBeGreaterThan(0)
    const forged = Buffer.concat([
      plain.subarray(0, at),
      Buffer.from([6, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x08, 1]),
      plain.subarray(at + 10),
    ])
    const begun = performance.now()
    await expect(read(written(forged))).rejects.toThrow(/column "step" has a damaged list of missing values/)
    expect(performance.now() - begun).toBeLessThan(1000)
  })
})

describe('bounds', () => {
  const view = (...bytes: number[]) => new DataView(Uint8Array.from(bytes).buffer)

  test('runs and packed bits up to the count, no further', () => {
    expect(runsFit(view(12, 1), 0, 2, 1, 6)).toBe(true)
    expect(runsFit(view(14, 1), 0, 2, 1, 6)).toBe(false)
    expect(runsFit(view(3, 0xff), 0, 2, 1, 6)).toBe(true)
    expect(runsFit(view(5, 0xff, 0xff), 0, 3, 1, 6)).toBe(false)
    expect(runsFit(view(0xff, 0xff, 0xff, 0xff, 0x0f), 0, 5, 0, 6)).toBe(false)
    expect(runsFit(view(0, 0, 0, 0), 0, 4, 1, 6)).toBe(false)
    expect(runsFit(view(4, 1), 0, 2, 1, 6)).toBe(false)
  })

  test('a struct ends where it ends, and lists may not be longer than what is left', () => {
    expect(skipStruct(view(0x15, 2, 0), 0)).toBe(3)
    expect(() => skipStruct(view(0x19, 0xf5, 0xff, 0xff, 0xff, 0x0f, 0), 0)).toThrow(/cut short/)
    expect(() => skipStruct(view(...Array.from({ length: 40 }, () => 0x1c)), 0)).toThrow(/nests deeper than 16/)
    expect(() => skipStruct(view(0x16, ...Array.from({ length: 40 }, () => 0x80)), 0)).toThrow(/a number without end/)
  })
})

test('a damaged file is a BadInput, within a moment and little memory', async () => {
  const originals = names.map((name) => readFileSync(dump('parquet', name)))
  const before = process.memoryUsage().arrayBuffers
  await fc.assert(
    fc.asyncProperty(
      fc.nat(originals.length - 1),
      fc.array(fc.tuple(fc.double({ min: 0, max: 0.999999, noNaN: true }), fc.nat(255)), {
        minLength: 1,
        maxLength: 4,
      }),
      async (which, changes) => {
        const bytes = Buffer.from(originals[which]!)
        for (const [at, value] of changes) bytes[Math.floor(at * bytes.length)] = value
        const begun = performance.now()
        try {
          await read(written(bytes))
        } catch (error) {
          if (!(error instanceof BadInput)) throw error
        }
        expect(performance.now() - begun).toBeLessThan(2000)
      },
    ),
    { numRuns: 1500 },
  )
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(256 << 20)
})
