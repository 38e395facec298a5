/** Imports as a user makes them: whole or not at all, ids kept and checked, and no damaged dump gets further than a sentence. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'
import type { ImportFormat } from '../../../shared/credit.ts'
import { dump } from '../../importers/golden-dumps.ts'
import { readTrajectories } from '../../rows/read-trajectories.ts'
import { importRollouts } from './import-rollouts.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-import-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const tokenizer = resolve('test/golden/checkpoints/base_f32')
const out = (name: string) => join(folder, name)
const written = (name: string, content: string): string => {
  writeFileSync(out(name), content)
  return out(name)
}

describe('what is written', () => {
  test.each<[ImportFormat, string, number, number]>([
    ['skyrl', dump('skyrl', 'gae.pkl'), 6, 3],
    ['verl', dump('verl'), 7, 5],
    ['trl', dump('trl', 'completions', 'two'), 16, 4],
    ['openrlhf', dump('openrlhf', 'rollouts.jsonl'), 3, 2],
  ])('%s: our own reader takes it', async (format, path, rows, groups) => {
    const report = await importRollouts({ format, path, out: out('rows.jsonl') })
    expect(report).toMatchObject({ from: format, rows, groups, reencoded_differently: null })
    const read = await readTrajectories(report.file)
    expect(read).toHaveLength(rows)
    const again = await importRollouts({ format: 'trajectories', path: report.file, out: out('again.jsonl') })
    expect(again).toMatchObject({ rows, groups })
  })

  test('texts get ids, each turn on its own, and it is said', async () => {
    const report = await importRollouts({ format: 'verl', path: dump('verl'), tokenizer, out: out('verl.jsonl') })
    expect(report.notes.join()).toMatch(
      /turns re-tokenised with .*: 14; their ids are not the ones that were sampled, which had special tokens/,
    )
    expect(report.fields_absent).not.toContain('token_ids')
    expect(report.reencoded_differently).toEqual({ turns: 0, rows: [] })
    const [first] = await readTrajectories(report.file)
    expect(first!.row.turns.every(({ token_ids }) => token_ids !== undefined && token_ids.length > 0)).toBe(true)
  })

  test('recorded ids stay, and those that their text does not give are named', async () => {
    const [plain, checked] = [out('plain.jsonl'), out('checked.jsonl')]
    await importRollouts({ format: 'skyrl', path: dump('skyrl', 'gae.pkl'), out: plain })
    const report = await importRollouts({ format: 'skyrl', path: dump('skyrl', 'gae.pkl'), tokenizer, out: checked })
    const ids = async (file: string) =>
      (await readTrajectories(file)).map(({ row }) => row.turns.map(({ token_ids }) => token_ids))
    expect(await ids(checked)).toEqual(await ids(plain))
    const named = (await readTrajectories(checked))
      .filter(({ row }) => 'reencodes_differently' in row)
      .map(({ row }) => row.id)
    expect(report.reencoded_differently!.rows).toEqual(named)
    expect(named.length).toBeGreaterThan(0)
  })

  test('a check that fails is a warning', async () => {
    const report = await importRollouts({ format: 'skyrl', path: dump('skyrl', 'gae.pkl'), out: out('warned.jsonl') })
    expect(report.warnings).toEqual([
      expect.stringMatching(
        /mean reward: 0\.157922 is recovered, 0\.183392 is recorded; the estimator, gamma or lambda is not/,
      ),
    ])
  })
})

test('a long import leaves the process to others in between', async () => {
  const long = out('long')
  mkdirSync(long)
  for (let step = 0; step < 200; step++)
    copyFileSync(dump('skyrl', 'gae.pkl'), join(long, `global_step_${step}_training_input.pkl`))
  let turns = 0
  const clock = setInterval(() => turns++, 1)
  await importRollouts({ format: 'skyrl', path: long, out: out('long-out.jsonl') })
  clearInterval(clock)
  expect(turns).toBeGreaterThan(2)
})

describe('whole or not at all', () => {
  const bad = out('bad.jsonl')
  writeFileSync(bad, `${readFileSync(dump('verl', '1.jsonl'), 'utf8')}{"input": 1}\n`)

  test('an older file stays as it was, and nothing is left beside it', async () => {
    const place = join(folder, 'kept')
    mkdirSync(place)
    const target = join(place, 'rows.jsonl')
    writeFileSync(target, 'older')
    await expect(importRollouts({ format: 'verl', path: bad, out: target })).rejects.toThrow(/output|input/)
    expect(readFileSync(target, 'utf8')).toBe('older')
    expect(readdirSync(place)).toEqual(['rows.jsonl'])
  })

  test('nothing is written over the dump, not even through a link', async () => {
    const own = join(folder, '1.jsonl')
    copyFileSync(dump('verl', '1.jsonl'), own)
    const link = join(folder, 'link.jsonl')
    symlinkSync(own, link)
    for (const target of [own, link, `${folder}/./1.jsonl`]) {
      await expect(importRollouts({ format: 'verl', path: own, out: target })).rejects.toThrow(
        /belongs to the dump that is imported/,
      )
    }
    expect(readFileSync(own)).toEqual(readFileSync(dump('verl', '1.jsonl')))
  })

  test.each([
    'with space.jsonl',
    'ünï 点.jsonl',
    '-dash.jsonl',
    'line\nbreak.jsonl',
    'quote\'".jsonl',
    '%s$HOME.jsonl',
  ])('a file called %j', async (name) => {
    const path = join(folder, name)
    copyFileSync(dump('verl', '1.jsonl'), path)
    expect(await importRollouts({ format: 'verl', path, out: out('odd.jsonl') })).toMatchObject({ rows: 4 })
    writeFileSync(path, '{}\n')
    const refused = await importRollouts({ format: 'verl', path, out: out('odd.jsonl') }).catch(
      (error: unknown) => error,
    )
    expect(refused).toBeInstanceOf(BadInput)
    expect((refused as BadInput).message).not.toContain('\n')
  })

  test.each<[string, ImportFormat, () => string, RegExp]>([
    ['a missing file', 'trl', () => out('none.parquet'), /file not found/],
    ['an empty file', 'skyrl', () => written('empty.pkl', ''), /the pickle has no end/],
    ['a file of another trainer', 'trl', () => dump('skyrl', 'gae.pkl'), /is not a parquet file/],
    ['a text as a pickle', 'skyrl', () => dump('verl', '1.jsonl'), /the pickle instruction 0x7b is not among those/],
    [
      'half of a surrogate pair',
      'verl',
      () => written('half.jsonl', '{"input":"a","output":"\\ud800","score":1}'),
      /half of a surrogate pair \(row rollout-0\)/,
    ],
    [
      'one rollout twice',
      'trajectories',
      () => written('twice.jsonl', '{"id":"a","reward":1,"turns":[{"role":"user","text":"a"}]}\n'.repeat(2)),
      /the same rollout twice \(row a\)/,
    ],
  ])('%s', async (_name, format, path, message) => {
    await expect(importRollouts({ format, path: path(), out: out('never.jsonl') })).rejects.toThrow(message)
    expect(existsSync(out('never.jsonl'))).toBe(false)
  })
})

describe('damage', () => {
  const files: readonly (readonly [ImportFormat, string])[] = [
    ...['gae', 'gae_bf16', 'grpo', 'rloo', 'steps', 'tensor_list', 'old_layout', 'old_numpy', 'protocol5'].map(
      (name) => ['skyrl', dump('skyrl', `${name}.pkl`)] as const,
    ),
    ['trl', dump('trl', 'completions', 'two', 'completions_00001.parquet')],
    ['verl', dump('verl', '1.jsonl')],
    ['openrlhf', dump('openrlhf', 'rollouts.jsonl')],
  ]
  /** Reads like an import; true when the dump was taken, false when it was refused. Anything else is thrown. */
  const taken = async (format: ImportFormat, path: string): Promise<boolean> => {
    const begun = performance.now()
    try {
      const { file } = await importRollouts({ format, path, out: out('fuzz-out.jsonl') })
      await readTrajectories(file)
      return true
    } catch (error) {
      if (!(error instanceof BadInput)) throw error
      expect(error.message).not.toContain('\n')
      return false
    } finally {
      expect(performance.now() - begun).toBeLessThan(5000)
    }
  }

  test.each(files)('%s %s: any bytes changed, it is read or refused', async (format, path) => {
    const original = readFileSync(path)
    const damaged = out(`fuzz-${basename(path)}`)
    const before = process.memoryUsage().arrayBuffers
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.double({ min: 0, max: 0.9999999, noNaN: true }), fc.nat(255)), {
          minLength: 1,
          maxLength: 5,
        }),
        async (changes) => {
          const bytes = Buffer.from(original)
          for (const [at, value] of changes) bytes[Math.floor(at * bytes.length)] = value
          writeFileSync(damaged, bytes)
          await taken(format, damaged)
        },
      ),
      { numRuns: 120 },
    )
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(256 << 20)
  })

  test.each(files.filter(([format]) => format === 'skyrl' || format === 'trl'))(
    '%s %s: cut short, it is refused',
    async (format, path) => {
      const whole = statSync(path).size
      const cut = out(`cut-${basename(path)}`)
      copyFileSync(path, cut)
      for (let length = whole - 1; length > 0; length -= Math.ceil(whole / 60)) {
        truncateSync(cut, length)
        expect(await taken(format, cut)).toBe(false)
      }
    },
  )
})
