/** Data files as people really have them: what is read, and what is refused with file, line and row. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { BadInput } from '../../shared/bad-input.ts'
import { readJsonl } from './jsonl.ts'
import { readRows } from './read-rows.ts'
import { demonstrationSchema, pairSchema, promptRowSchema, tokenizeRowSchema } from './row-schemas.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-rows-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(content: string | Uint8Array, name = 'rows.jsonl'): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

async function faultOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(BadInput)
  return (error as BadInput).message.replace(`${folder}/`, '')
}

describe('readRows', () => {
  it('keeps order, unknown fields and line numbers over blank lines, CRLF and a byte order mark', async () => {
    const path = file(
      '\uFEFF{"id":"b","prompt":"é","completion":"x","note":1}\r\n\n  \n{"id":"a","prompt":"","completion_ids":[3]}',
    )
    const rows = await readRows(path, demonstrationSchema)
    expect(rows.map(({ line, row }) => [line, row.id])).toEqual([
      [1, 'b'],
      [4, 'a'],
    ])
    expect(rows[0]?.row).toMatchObject({ prompt: 'é', note: 1 })
  })

  it('reads rows that straddle the chunks of the stream', async () => {
    const long = 'ø'.repeat(50_000)
    const path = file([1, 2, 3].map((id) => JSON.stringify({ id, prompt: long })).join('\n'))
    const rows = await readRows(path, promptRowSchema)
    expect(rows.map(({ row }) => row.id)).toEqual(['1', '2', '3'])
    expect(rows.every(({ row }) => row.prompt === long)).toBe(true)
  })

  const demonstration = (fields: object) => JSON.stringify({ id: 'd1', prompt: 'p', completion: 'c', ...fields })
  const pair = (fields: object) => JSON.stringify({ id: 'p1', prompt: 'p', chosen: 'c', rejected: 'r', ...fields })

  it.each([
    ['an empty file', '', 'rows.jsonl: holds no rows'],
    ['only blank lines', '\n\n', 'rows.jsonl: holds no rows'],
    ['an array', '[1]', 'rows.jsonl: a row must be a JSON object (line 1)'],
    ['no id', '{"prompt":"p","completion":"c"}', /^rows\.jsonl: id: .* \(line 1\)$/],
    [
      'a repeated id',
      `${demonstration({})}\n${demonstration({})}`,
      'rows.jsonl: the id stands already on line 1 (row d1, line 2)',
    ],
    ['an empty completion', demonstration({ completion: '' }), 'rows.jsonl: completion: is empty (row d1, line 1)'],
    [
      'no completion',
      demonstration({ completion: undefined }),
      'rows.jsonl: completion: needs completion or completion_ids (row d1, line 1)',
    ],
    [
      'negative ids',
      demonstration({ completion: undefined, completion_ids: [1, -1] }),
      'rows.jsonl: completion_ids[1]: token ids must be integers from 0 on (row d1, line 1)',
    ],
    [
      'fractional ids',
      demonstration({ prompt: undefined, prompt_ids: [0.5] }),
      'rows.jsonl: prompt_ids[0]: token ids must be integers from 0 on (row d1, line 1)',
    ],
    [
      'half a surrogate pair',
      demonstration({ completion: '\ud800' }),
      'rows.jsonl: completion: holds half of a surrogate pair (row d1, line 1)',
    ],
    ['raw messages', demonstration({ raw: true, prompt: [{ role: 'user', content: 'x' }] }), /raw takes text/],
  ])('refuses demonstrations with %s', async (_name, content, message) => {
    const fault = await faultOf(readRows(file(content), demonstrationSchema))
    if (typeof message === 'string') expect(fault).toBe(message)
    else expect(fault).toMatch(message)
  })

  it.each([
    ['chosen equal to rejected', pair({ rejected: 'c' }), 'rows.jsonl: rejected: equals chosen (row p1, line 1)'],
    ['an empty rejected', pair({ rejected: '' }), 'rows.jsonl: rejected: is empty (row p1, line 1)'],
  ])('refuses pairs with %s', async (_name, content, message) => {
    expect(await faultOf(readRows(file(content), pairSchema))).toBe(message)
  })

  it('takes conversations with tools for tokenising, without an id', async () => {
    const path = file('{"messages":[{"role":"assistant","content":null,"tool_calls":[]}],"tools":[{}]}\n{"text":""}')
    expect(await readRows(path, tokenizeRowSchema)).toHaveLength(2)
  })
})

describe('readJsonl', () => {
  const drain = async (path: string, limit?: number) => {
    for await (const _ of readJsonl(path, limit));
  }

  it('names the line of what is not JSON', async () => {
    expect(await faultOf(drain(file('{"id":1}\n{"id":')))).toMatch(/^rows\.jsonl: is not JSON: .+ \(line 2\)$/)
  })

  it('names the key that stands twice, wherever it stands', async () => {
    expect(await faultOf(drain(file('{"id":"a"}\n{"id":"a","id":"b"}')))).toBe(
      'rows.jsonl: the key "id" stands twice in a row; keep one (line 2)',
    )
    expect(await faultOf(drain(file('{"id":"a","meta":[{"x":1,"\\u0078":2}]}')))).toContain('the key "x" stands twice')
    await drain(file('{"id":"id","text":"\\"id\\":1","meta":{"id":1}}'))
  })

  it('names line and byte of what is not UTF-8', async () => {
    const content = Buffer.concat([Buffer.from('{"a":"é"}\n{"a":"'), Buffer.from([0xe9]), Buffer.from('"}\n')])
    expect(await faultOf(drain(file(content)))).toBe('rows.jsonl: is not UTF-8 (line 2, byte 17)')
  })

  it('refuses a file cut off inside a character', async () => {
    const content = Buffer.from('{"a":"é"}').subarray(0, 7)
    expect(await faultOf(drain(file(content)))).toMatch(/is not UTF-8 \(line 1, byte \d\)/)
  })

  it('refuses a line over the limit before holding all of it', async () => {
    expect(await faultOf(drain(file('{}\n{"a":"0123456789"}'), 10))).toBe(
      'rows.jsonl: a line is longer than 10 bytes (line 2)',
    )
  })

  it('names a missing file and a folder', async () => {
    expect(await faultOf(drain(join(folder, 'none')))).toBe('none: file not found')
    expect(await faultOf(drain(folder))).toContain('is a folder, a file is needed')
  })
})
