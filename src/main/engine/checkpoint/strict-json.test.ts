import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.ts'
import { expectBadInput } from './checkpoint-fixtures.ts'
import { parseStrictJson } from './strict-json.ts'

describe('strict JSON', () => {
  it('agrees with JSON.parse on any value', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), (text) => {
        expect(parseStrictJson(text, 'x')).toEqual(JSON.parse(text))
      }),
    )
  })

  it('refuses a repeated key at any depth, also when it is escaped differently, with its line', () => {
    expectBadInput(
      () => parseStrictJson('{"a": [{"b": 1,\n"\\u0062": 2}]}', 'f.json'),
      /f.json: the key "b" stands twice \(line 2\)/,
    )
    expectBadInput(() => parseStrictJson('{"__proto__": 1, "__proto__": 2}', 'f.json'), /"__proto__" stands twice/)
    expect(parseStrictJson('{"a": {"a": "{\\"a\\": \\\\"}, "b": ["a", "a", "b,b:"]}', 'x')).toEqual({
      a: { a: '{"a": \\' },
      b: ['a', 'a', 'b,b:'],
    })
  })

  it('names the line of a syntax error', () => {
    expectBadInput(() => parseStrictJson('{\n"a": 1\n"b"}', 'f.json'), /f.json: is not valid JSON.*\(line 3\)/)
    expectBadInput(() => parseStrictJson('{"a": NaN}', 'f.json'), /not valid JSON/)
  })
})

describe('canonical JSON', () => {
  it('is the same for any order of keys, and parses back', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
    )
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined })).toBe('{"b":[1,{"c":"x","d":null}]}')
  })

  it('refuses what JSON would change, with the place', () => {
    expect(() => canonicalJson({ a: [Number.POSITIVE_INFINITY] })).toThrow('$.a[0] is Infinity')
    expect(() => canonicalJson({ a: 1n })).toThrow('$.a is a bigint')
    expect(() => canonicalJson([undefined])).toThrow('$[0] is a undefined')
  })
})
