/** Pickles that mean harm, or are damaged: each is refused by name, soon, and in little memory. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'
import { bytesInMemory } from '../bytes.ts'
import { dump } from '../golden-dumps.ts'
import { readPickle } from './pickle.ts'
import { asKind, type PickleValue } from './pickle-values.ts'

const dialect = { symbols: new Set(['collections.OrderedDict']), persistentIds: false, what: 'a SkyRL dump' }
const load = (...parts: (number | readonly number[] | Uint8Array | string)[]): PickleValue => {
  const bytes = Buffer.concat(
    [[0x80, 4], ...parts].map((part) =>
      typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part as Uint8Array),
    ),
  )
  return readPickle(bytesInMemory('dump.pkl', bytes), dialect)
}
const u32 = (value: number) => [...Buffer.from(Uint32Array.of(value).buffer)]
const u64 = (value: bigint) => [...Buffer.from(BigUint64Array.of(value).buffer)]
const text = (value: string) => [0x8c, Buffer.byteLength(value), ...Buffer.from(value)]
const global = (module: string, name: string) => [...text(module), ...text(name), 0x93]
const repeat = (count: number, ...bytes: number[]) => Array.from({ length: count }, () => bytes).flat()
const [stop, mark, none, emptyList, emptyTuple, emptyDict, tuple1, append, memoize] = [
  0x2e, 0x28, 0x4e, 0x5d, 0x29, 0x7d, 0x85, 0x61, 0x94,
]

describe('read', () => {
  test('numbers, texts and containers', () => {
    const value = load(
      mark,
      0x4a,
      u32(0xffffffff),
      0x4b,
      7,
      0x8a,
      2,
      [0x00, 0x80],
      0x47,
      [0x3f, 0xf8, 0, 0, 0, 0, 0, 0],
      text('é'),
      0x88,
      none,
      0x74,
      stop,
    )
    expect(asKind('tuple', value)?.items).toEqual([-1, 7, -32768, 1.5, 'é', true, null])
  })

  test('a whole number beyond 2^53 stays exact', () => {
    expect(load(0x8a, 9, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00], stop)).toBe(2n ** 64n - 1n)
  })

  test('__proto__ is a key like any other', () => {
    const value = load(emptyDict, text('__proto__'), emptyDict, text('polluted'), 0x88, 0x73, 0x73, stop)
    expect([...asKind('dict', value)!.entries.keys()]).toEqual(['__proto__'])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('a call is a record of what would have been called', () => {
    expect(load(global('collections', 'OrderedDict'), emptyTuple, 0x52, stop)).toMatchObject({
      kind: 'record',
      callee: 'collections.OrderedDict',
      args: [],
    })
  })

  test('an object that many refer to is no bomb: it is kept once', () => {
    // Thirty levels of two references each would be 2^30 objects if they were copied.
    const doubling = Array.from({ length: 30 }, (_, k) => [0x68, k, 0x86, memoize]).flat()
    expect(() => load(emptyTuple, memoize, doubling, stop)).not.toThrow()
  })
})

describe('refused by name', () => {
  test.each<[string, () => PickleValue, RegExp]>([
    [
      'a function of the system',
      () => load(global('os', 'system'), text('id'), tuple1, 0x52, stop),
      /names "os\.system", which was not loaded \(byte 14\)/,
    ],
    [
      'a builtin',
      () => load(0x63, Buffer.from('builtins\neval\n'), text('1'), tuple1, 0x52, stop),
      /names "builtins\.eval"/,
    ],
    ['a name without end', () => load(0x63, repeat(5000, 0x61), stop), /a name without end/],
    [
      'a call of something that is no name',
      () => load(emptyList, emptyTuple, 0x52, stop),
      /would call a list on a tuple/,
    ],
    [
      'an instruction that a dump never needs',
      () => load(0x69, stop),
      /the pickle instruction 0x69 is not among those/,
    ],
    ['a persistent id', () => load(none, 0x51, stop), /instruction 0x51/],
    [
      'a string of 4 GB',
      () => load(0x58, u32(0xffffffff), stop),
      /is cut short: 4294967295 bytes are announced, 1 are left \(byte 2\)/,
    ],
    ['bytes of 2^60', () => load(0x8e, u64(2n ** 60n), stop), /is cut short: 1152921504606847000 bytes are announced/],
    ['bytes of 2^64 - 1', () => load(0x8e, u64(2n ** 64n - 1n), stop), /is cut short/],
    [
      'a frame beyond the end',
      () => load(0x95, u64(1000n), none, stop),
      /is cut short: 1000 bytes are announced, 2 are left/,
    ],
    ['a whole number of 200 bytes', () => load(0x8a, 200, repeat(200, 1), stop), /a whole number of 200 bytes/],
    [
      'tuples in tuples without end',
      () => load(emptyTuple, repeat(100_000, tuple1), stop),
      /nests deeper than 32 levels/,
    ],
    [
      'lists in lists without end',
      () => load(repeat(100_000, emptyList), repeat(99_999, append), stop),
      /nests deeper than 32 levels/,
    ],
    ['marks without end', () => load(repeat(100_000, mark), stop), /nests deeper than 64 levels/],
    ['a list that contains itself', () => load(emptyList, memoize, 0x68, 0, append, stop), /contains itself/],
    [
      'a dict that contains itself two levels down',
      () => load(emptyDict, memoize, text('a'), emptyList, 0x68, 0, append, 0x73, stop),
      /contains itself/,
    ],
    [
      'a record whose state is itself',
      () => load(global('collections', 'OrderedDict'), emptyTuple, 0x52, memoize, 0x68, 0, 0x62, stop),
      /contains itself/,
    ],
    [
      'a value that was never kept',
      () => load(0x6a, u32(4_000_000_000), stop),
      /refers to value 4000000000, which it does not hold/,
    ],
    ['more instructions than any dump', () => load(repeat(2_000_001, none), stop), /more than 2000000 instructions/],
    ['an odd number of keys and values', () => load(emptyDict, mark, none, 0x75, stop), /sets entries of a dict/],
    ['entries of a number', () => load(0x4b, 1, none, none, 0x73, stop), /sets entries of a number/],
    ['text that is not UTF-8', () => load(0x8c, 2, [0xff, 0xfe], stop), /a string is not UTF-8/],
    ['no end', () => load(none), /the pickle has no end/],
    ['values left over', () => load(none, none, stop), /values are left over/],
    [
      'an older protocol',
      () => readPickle(bytesInMemory('dump.pkl', Uint8Array.of(0x80, 1, none, stop)), dialect),
      /protocol 1; protocols 2 to 5/,
    ],
    [
      'nothing at all',
      () => readPickle(bytesInMemory('dump.pkl', new Uint8Array(0)), dialect),
      /the pickle has no end/,
    ],
  ])('%s', (_name, read, message) => {
    expect(read).toThrow(message)
    expect(read).toThrow(BadInput)
  })
})

test('whatever bytes stand there, the answer is a value or a BadInput, within a moment and little memory', () => {
  const opcodes = [...readFileSync(dump('skyrl', 'gae.pkl')).subarray(0, 400)]
  const before = process.memoryUsage().arrayBuffers
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...opcodes), fc.nat(255)), { maxLength: 300 }), (bytes) => {
      const begun = performance.now()
      try {
        load(bytes, stop)
      } catch (error) {
        if (!(error instanceof BadInput)) throw error
      }
      expect(performance.now() - begun).toBeLessThan(1000)
    }),
    { numRuns: 3000 },
  )
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 << 20)
})
