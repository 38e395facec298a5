/** verl, OpenRLHF and TRL: texts with rewards, grouped by step and prompt; grades that were not given stay null. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { allRows, dump } from './golden-dumps.ts'
import { openrlhfSource } from './openrlhf.ts'
import { trlSource } from './trl.ts'
import { verlSource } from './verl.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-texts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = (name: string, ...lines: unknown[]): string => {
  const path = join(folder, name)
  writeFileSync(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))
  return path
}

describe('verl', () => {
  test('steps in the order of their numbers, a group a prompt and step or a uid, a missing score null', async () => {
    const source = verlSource(dump('verl'))
    const rows = await allRows(source)
    expect(rows.map(({ iteration }) => iteration)).toEqual([1, 1, 1, 1, 2, 10, 10])
    expect(rows.map(({ group }) => group)).toEqual([
      'step-1/prompt-0',
      'step-1/prompt-0',
      'step-1/prompt-1',
      'step-1/prompt-1',
      'step-2/prompt-0',
      'step-10/a1',
      'step-10/b2',
    ])
    expect(rows.map(({ reward }) => reward)).toEqual([1, 0, 0.5, null, 1, 0, 1])
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length)
    expect(rows[5]).toMatchObject({ verl: { gts: 'wifi', request_id: 'r-0' } })
    expect(source.summary().absent).toEqual([
      'token_ids',
      'logprobs',
      'ref_logprobs',
      'values',
      'rewards',
      'stop_reason',
    ])
    expect(source.summary().notes[0]).toMatch(/without special tokens.*only outcomes can be audited/)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test.each([
    [{ prompt: 'a', response: 'b' }, /is no rollout file of verl: a line has input, output and score \(line 1\)/],
    [{ input: 'a', output: 5, score: 1 }, /output is not a text \(line 1\)/],
    [{ input: 'a', output: 'b', score: '1' }, /score is not a number \(line 1\)/],
    [{ input: 'a', output: 'b', score: 1, step: 1.5 }, /step is not a whole number/],
    ['[1]', /a row must be a JSON object \(line 1\)/],
    ['{"input": "a", "output": "b", "score": NaN}', /is not JSON/],
    ['', /holds no rows/],
  ])('refused: %j', async (line, message) => {
    await expect(allRows(verlSource(file('verl.jsonl', line)))).rejects.toThrow(message)
  })
})

describe('OpenRLHF', () => {
  test('response is taken as it is, and other fields are kept', async () => {
    const rows = await allRows(openrlhfSource(dump('openrlhf', 'rollouts.jsonl')))
    expect(rows.map(({ reward }) => reward)).toEqual([1.25, -0.5, 0])
    expect(rows.map(({ group }) => group)).toEqual(['step-3/prompt-0', 'step-3/prompt-0', 'step-4/prompt-0'])
    expect(rows[0]).toMatchObject({ openrlhf: { length: 7 } })
    expect(rows[0]!.turns[1]).toEqual({ role: 'assistant', text: 'You could turn Wi-Fi back on.' })
  })

  test('a text that begins with the prompt in every line loses it, and one that does not in some keeps it', async () => {
    const source = openrlhfSource(dump('openrlhf', 'texts.jsonl'))
    const [first] = await allRows(source)
    expect(first!.turns[1]!.text).toBe(' Under the desk.')
    expect(source.summary().notes.join()).toMatch(/every text begins with its prompt/)
    const mixed = file(
      'mixed.jsonl',
      { prompt: 'Hi', text: 'Hi there', reward: 1 },
      { prompt: 'Hi', text: 'there', reward: 0 },
    )
    expect((await allRows(openrlhfSource(mixed))).map(({ turns }) => turns[1]!.text)).toEqual(['Hi there', 'there'])
  })

  test.each([
    [{ prompt: 'a', reward: 1 }, /has neither response nor text/],
    [{ prompt: 'a', response: 'b', text: 'c', reward: 1 }, /has both response and text/],
    [{ response: 'b', reward: 1 }, /prompt is missing/],
  ])('refused: %j', async (line, message) => {
    await expect(allRows(openrlhfSource(file('open.jsonl', line)))).rejects.toThrow(message)
  })
})

describe('TRL, as TRL wrote it', () => {
  test('reward functions are added, and the advantages that TRL logged are what they give', async () => {
    const source = trlSource(dump('trl', 'completions', 'two'))
    const rows = await allRows(source)
    expect(rows).toHaveLength(16)
    expect(new Set(rows.map(({ group }) => group)).size).toBe(4)
    expect(rows[0]).toMatchObject({ iteration: 1, trl: { politeness: 0 } })
    // The second function abstained on the third rollout; what is left is the first one's.
    expect(rows[2]).toMatchObject({ trl: { politeness: null } })
    expect(rows[2]!.reward).toBeCloseTo(1.2, 6)
    const [check] = source.summary().checks
    expect(check).toMatchObject({ name: 'advantages replayed (GRPO, ddof 1, ε 0.0001)', agrees: true })
    expect(check!.difference).toBeLessThan(3e-6)
  })

  test('a rollout that no function graded has no reward', async () => {
    const rows = await allRows(trlSource(dump('trl', 'completions', 'abstained')))
    expect(rows.map(({ reward }) => reward)).toEqual([0, 0, 0, 0, 0, null, 0, 0, 0, 0, 0, 0, 0, null, 0, 0])
  })

  test('the output folder that users know is enough', async () => {
    const output = join(folder, 'output')
    mkdirSync(join(output, 'completions'), { recursive: true })
    expect(() => trlSource(output)).toThrow(/holds no completions of TRL \(completions_NNNNN\.parquet\)/)
  })
})
