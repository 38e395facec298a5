import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { writeDocument, writeRows } from './write-rows.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-rows-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a line a row', () => {
  const file = join(folder, 'rows.jsonl')
  writeRows(file, [
    { id: 'a', values: [1, 0.5] },
    { id: 'b', values: null },
  ])
  expect(readFileSync(file, 'utf8')).toBe('{"id":"a","values":[1,0.5]}\n{"id":"b","values":null}\n')
})

test.each([
  [{ id: 'b', turns: [{ values: [0, Number.NaN] }] }, 'turns[0].values[1] of row b is NaN'],
  [{ id: 7, reward: Number.POSITIVE_INFINITY }, 'reward of row 7 is Infinity'],
  [{ values: new Float32Array([0, -Infinity]) }, 'values[1] of row number 2 is -Infinity'],
])('a number that JSON cannot hold is named, and nothing is written', (row, said) => {
  const file = join(folder, 'bad.jsonl')
  expect(() => writeRows(file, [{ id: 'a', reward: 1 }, row])).toThrow(
    `${file}: not written, since ${said}, not a finite number`,
  )
  expect(existsSync(file)).toBe(false)
})

test('a document is one line, refused the same way', () => {
  const file = join(folder, 'document.json')
  writeDocument(file, { parts: [{ share: 0.5 }] })
  expect(readFileSync(file, 'utf8')).toBe('{"parts":[{"share":0.5}]}\n')
  expect(() => writeDocument(file, { parts: [{ share: Number.NaN }] })).toThrow('parts[0].share of the result is NaN')
  expect(readFileSync(file, 'utf8')).toBe('{"parts":[{"share":0.5}]}\n')
})
