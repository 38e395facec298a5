/** `import rollouts` and `export trl|verl` as a shell sees them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from './run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-import-cli-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const home = join(folder, 'home')
const dump = (...path: string[]) => resolve('test/golden/importers', ...path)
const out = join(folder, 'rows.jsonl')
const arguments_ = (path: string, from: string, ...more: string[]) => [
  'import',
  'rollouts',
  path,
  '--from',
  from,
  '--out',
  out,
  ...more,
]

describe('import rollouts', () => {
  it('says what it found and writes rows that the credit commands read', async () => {
    const skyrl = arguments_(dump('skyrl', 'gae.pkl'), 'skyrl', '--gamma', '0.99', '--lambda', '0.95', '--json')
    const { code, stdout, stderr } = await runCli(skyrl)
    expect(code, stderr).toBe(0)
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({
      rows: 6,
      groups: 3,
      fields_found: expect.arrayContaining(['values', 'returns']),
      fields_absent: expect.arrayContaining(['rewards']),
      checks: [{ name: 'mean reward', agrees: true }],
    })
    const estimate = await runCli([
      'credit',
      'estimate',
      '--method',
      'gae',
      '--gamma',
      '0.99',
      '--lambda',
      '0.95',
      '--input',
      out,
      '--json',
    ])
    expect(estimate.code, estimate.stderr).toBe(0)
    // The estimator over observations too, as SkyRL computes it: its returns come back.
    const rows = readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const recorded = rows.flatMap(({ turns }) => turns.flatMap(({ returns = [] }: { returns?: number[] }) => returns))
    const computed = JSON.parse(estimate.stdout).trajectories.flatMap(({ tokens }: { tokens: { return: number }[] }) =>
      tokens.map((token) => token.return),
    )
    expect(computed).toHaveLength(recorded.length)
    for (const [k, value] of computed.entries()) expect(value).toBeCloseTo(recorded[k], 5)
  }, 60_000)

  it('warns on stderr when recovered rewards have another mean than the run logged', async () => {
    const { code, stdout, stderr } = await runCli(arguments_(dump('skyrl', 'gae.pkl'), 'skyrl', '--json'))
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^mean reward: .* is recovered, .* is recorded; the estimator, gamma or lambda is not that of the run\n$/,
    )
    expect(JSON.parse(stdout).warnings).toHaveLength(1)
  })

  it.each([
    ['another trainer', arguments_(dump('verl'), 'skyrl'), /holds no dump of SkyRL/],
    ['a trainer nobody knows', arguments_(dump('verl'), 'ray'), /^error: --from: ray is not allowed/],
    [
      'a pickle that would run a program',
      arguments_(dump('skyrl', 'system.pkl'), 'skyrl'),
      /which was not loaded \(byte \d+\)$/,
    ],
    [
      'a discount for a dump that needs none',
      arguments_(dump('verl'), 'verl', '--gamma', '0.9'),
      /^error: --gamma: belongs to SkyRL dumps, not to verl$/,
    ],
    [
      'a discount above 1',
      arguments_(dump('skyrl', 'gae.pkl'), 'skyrl', '--gamma', '2'),
      /^error: --gamma: 2 is not allowed; Must be a number from 0 to 1\.$/,
    ],
    ['no tokenizer there', arguments_(dump('verl'), 'verl', '--tokenizer', folder), /tokenizer\.json: file not found/],
  ])('refuses %s with one line and leaves nothing', async (_what, args, message) => {
    rmSync(out, { force: true })
    const { code, stdout, stderr } = await runCli([...args, '--json'])
    expect(code).toBe(2)
    expect(stdout).toBe('')
    const [line, ...rest] = stderr.trimEnd().split('\n')
    expect(line).toMatch(/^error: /)
    expect(line).toMatch(message)
    expect(rest).toEqual([])
    expect(existsSync(out)).toBe(false)
  })
})

describe('export', () => {
  it.each(['trl', 'verl'])('%s refuses what is no study, and a folder that holds something', async (engine) => {
    const target = join(folder, engine)
    const unknown = await runCli(['export', engine, 'study-nobody', '--out', target, '--home', home])
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toMatch(/^error: study-nobody: is neither a study nor a run in /)
    expect(existsSync(target)).toBe(false)
    writeFileSync(join(folder, 'mine'), '')
    const taken = await runCli(['export', engine, 'study-nobody', '--out', folder, '--home', home])
    expect(taken).toMatchObject({ code: 2, stdout: '' })
    expect(taken.stderr).toMatch(/the folder exists and is not empty; name another one/)
  })
})
