/** `credit in-context` as a shell sees it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { InContextReading } from '../../shared/in-context.ts'
import { runCli } from './run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-in-context-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const example = 'resources/examples/scored-examples.jsonl'

const inContext = (input: string, ...more: string[]) =>
  runCli([
    ...['credit', 'in-context', '--model', 'test/golden/checkpoints/base_f32', '--threads', '1', '--input', input],
    ...['--home', join(folder, 'home'), ...more],
  ])
const file = (name: string, ...rows: object[]) => {
  const path = join(folder, name)
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'))
  return path
}

test('one JSON document, the same in the file; bounds above what they bound', async () => {
  const output = join(folder, 'out.json')
  const { code, stdout, stderr } = await inContext(example, '--json', '--output', output)
  expect(code, stderr).toBe(0)
  expect(readFileSync(output, 'utf8')).toBe(stdout)
  const { rows, forward_passes } = JSON.parse(stdout) as InContextReading
  expect(rows.map(({ scores }) => scores?.order)).toEqual(['reversed', 'reversed', 'reversed', 'shifted', undefined])
  // With, without, two layers, and the other order where there is one.
  expect(forward_passes).toBe(5 * 4 + 4)
  for (const { shift, layers, scores } of rows) {
    expect(shift.kl).toBeGreaterThan(0)
    expect(shift.kl).toBeLessThanOrEqual(shift.kl_bound)
    expect(layers).toHaveLength(2)
    if (scores !== null) expect(scores.shift.kl).toBeGreaterThan(0)
  }
}, 120_000)

test('for people: rows, layers, the control, and what it is not', async () => {
  const { code, stdout } = await inContext(example)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^printer-same-request +2 +0\.\d{3}/m)
  expect(stdout).toMatch(/^printer-equal-scores .* — /m)
  expect(stdout).toMatch(
    /^ +1 row with equal scores left out\n +1 row shifted by one instead: .*\n +in 1 row scores of/m,
  )
  expect(stdout).toContain('nothing is learned')
  expect(stdout).not.toMatch(/undefined|NaN|null|\[object/)
}, 120_000)

test('equal scores and no examples at all are readings, and say so', async () => {
  const { code, stdout } = await inContext(file('bare.jsonl', { id: 1, prompt: 'What now?', examples: [] }))
  expect(code).toBe(0)
  expect(stdout).toContain('no row has scores that differ')
  expect(stdout).toMatch(/KL\(p‖q\) 0 of at most 0;/)
}, 120_000)

test('bad input is one line', async () => {
  const refusals = await Promise.all([
    inContext(file('score.jsonl', { id: 'a', prompt: 'p', examples: [{ response: 'r', score: 'high' }] })),
    inContext(file('long.jsonl', { id: 'a', prompt: 'p '.repeat(600), examples: [{ response: 'r', score: 1 }] })),
    inContext(example, '--output', '/proc/none/out.json'),
    inContext(example, '--adapter', join(folder, 'none')),
  ])
  const expected = [
    /^error: .*score\.jsonl: examples\[0\]\.score: must be a number \(row a, line 1\)\n$/,
    /^error: .*long\.jsonl: has \d+ tokens, more than the 512 positions of .*base_f32 \(row a, line 1\)\n$/,
    /^error: \/proc\/none\/out\.json: the folder to write to does not exist\n$/,
    /^error: .*none/,
  ]
  refusals.forEach(({ code, stdout, stderr }, i) => {
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(expected[i]!)
    expect(stderr.match(/\n/g)).toHaveLength(1)
  })
}, 120_000)
