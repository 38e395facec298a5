/** Direct preference optimisation as a whole stage: where it starts, what it learns, and exact resume. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type RewardTraceRow,
  runFiles,
  type SupervisedJob,
  type UpdateLine,
  type ValidationLine,
} from '../../../shared/stage.ts'
import { checkpoints } from '../checkpoint/checkpoint-fixtures.ts'
import { generateCorpus, isPairLabel } from '../study/corpus.ts'
import { StageRun } from './stage-run.ts'
import { runSupervised } from './supervised.ts'

const home = mkdtempSync(path.join(tmpdir(), 'recompense-dpo-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const file = (name: string) => path.join(home, name)

beforeAll(() => {
  const corpus = generateCorpus()
  const prompts = new Map(corpus.pages.map((page) => [page.document_id, page.prompt]))
  const pairs = corpus.labels.filter(isPairLabel).map((row) => ({
    id: row.document_id,
    prompt: prompts.get(row.document_id),
    chosen: row.chosen,
    rejected: row.rejected,
  }))
  const write = (name: string, rows: readonly object[]) =>
    writeFileSync(file(name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  write('pairs.jsonl', pairs.slice(0, 10))
  write('validation.jsonl', pairs.slice(10, 14))
})

const job = (dir: string, extra: Partial<SupervisedJob> = {}): SupervisedJob => {
  mkdirSync(file(dir), { recursive: true })
  return {
    stage: 'dpo',
    runId: 'test',
    base: `${checkpoints}/base_f32`,
    device: 'cpu',
    threads: 1,
    runDir: file(dir),
    train: file('pairs.jsonl'),
    validation: file('validation.jsonl'),
    shuffle: true,
    config: {
      learning_rate: 2e-3,
      accumulation_examples: 4,
      epochs: 3,
      warmup_ratio: 0.1,
      minimum_lr_ratio: 0.1,
      weight_decay: 0.01,
      gradient_clip: 1,
      seed: 49,
      lora_rank: 4,
      lora_alpha: 8,
      max_prompt_tokens: 256,
      max_new_tokens: 64,
      max_context_tokens: 320,
      beta: 0.1,
    },
    ...extra,
  }
}
const quiet = () => new StageRun(() => {})
const bytes = (dir: string, name: string) => readFileSync(path.join(file(dir), name))

test('starts at ln 2 with no margin, learns its pairs, and resumes bit for bit', async () => {
  const whole = await runSupervised(job('whole'), quiet())
  expect(whole).toMatchObject({ stage: 'dpo', status: 'finished', updates: 9 })
  const lines = bytes('whole', runFiles.journal)
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as UpdateLine | ValidationLine)
  const first = lines[0] as UpdateLine
  expect(first.loss).toBeCloseTo(Math.LN2, 6)
  expect(first.denominator_kind).toBe('pairs')
  for (const row of first.rows as RewardTraceRow[]) {
    expect(Math.abs(row.chosen)).toBeLessThan(1e-4)
    expect(Math.abs(row.rejected)).toBeLessThan(1e-4)
  }
  const updates = lines.filter((line): line is UpdateLine => line.kind === 'update')
  const last = updates.slice(-3)
  expect(last.reduce((sum, line) => sum + line.loss, 0) / 3).toBeLessThan(0.6)
  const validations = lines.filter((line): line is ValidationLine => line.kind === 'validation')
  expect(validations.length).toBe(3)
  expect(validations.every(({ accuracy }) => accuracy !== undefined && accuracy >= 0 && accuracy <= 1)).toBe(true)

  await runSupervised(job('cut', { stopAfter: 1 }), quiet())
  const continued = await runSupervised(job('cut'), quiet())
  expect(continued.learnedSha256).toEqual(whole.learnedSha256)
  for (const name of [runFiles.state, runFiles.journal])
    expect(bytes('cut', name).equals(bytes('whole', name)), name).toBe(true)
})

test('demonstrations are no preferences', async () => {
  writeFileSync(file('demonstrations.jsonl'), `${JSON.stringify({ id: 'a', prompt: 'x', completion: 'y' })}\n`)
  await expect(runSupervised(job('refused', { train: file('demonstrations.jsonl') }), quiet())).rejects.toThrow(
    /chosen/,
  )
})
