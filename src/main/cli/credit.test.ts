/** The credit commands as a shell sees them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runCli } from './run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-credit-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const example = 'resources/examples/trajectories.jsonl'
const withoutAddons = { NODE_OPTIONS: '--no-addons' }

const credit = (...args: string[]) => runCli(['credit', ...args, '--home', join(folder, 'home')], withoutAddons)

describe('an answer', () => {
  test('estimate: one JSON document with what it rests on, unread flags on stderr', async () => {
    const { code, stdout, stderr } = await credit(
      'estimate',
      '--method',
      'gae',
      '--omega',
      '2',
      '--input',
      example,
      '--json',
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '--omega is not read by gae\n' })
    const result = JSON.parse(stdout)
    expect(Object.keys(result)).toEqual(
      expect.arrayContaining(['method', 'parameters', 'formula', 'conventions', 'trajectories', 'summary']),
    )
    expect(result.parameters).toEqual({ gamma: 1, lambda: 0.95 })
    expect(result.trajectories[0]).toMatchObject({ id: 'printer-0', tokens: expect.anything() })
    expect(result.trajectories[0].tokens[0]).toMatchObject({ turn: 1, index: 0 })
    expect(result.trajectories.at(-1)).toMatchObject({ id: 'portal-3', abstained: true, tokens: [] })
    expect(Object.keys(result.summary)).toEqual(['token', 'turn', 'response', 'episode'])
  })

  test('the same for people', async () => {
    const commands = [
      ['estimate', '--method', 'option'],
      ['compare', '--methods', 'monte-carlo:rloo,gae,gigpo'],
      ['diagnose'],
      ['process-reward'],
    ]
    const texts = await Promise.all(commands.map((command) => credit(...command, '--input', example)))
    for (const { code, stderr } of texts) expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [estimate, compare, diagnose, processReward] = texts.map(({ stdout }) => stdout)
    expect(estimate).toMatch(/portal-3 +portal +– +0 +not graded, left out/)
    expect(estimate).toContain('cannot claim')
    expect(compare).toContain('Above the diagonal rank correlation')
    expect(diagnose).toMatch(/✓ hand-computed/)
    expect(processReward).toContain('informative: 0 of 3 groups')
    for (const text of [estimate, compare, diagnose, processReward]) {
      expect(text).not.toMatch(/undefined|NaN|\[object/)
    }
  })

  test('methods: all eighteen, each with what it cannot claim', async () => {
    const { stdout } = await credit('methods', '--json')
    const { methods } = JSON.parse(stdout)
    expect(methods).toHaveLength(18)
    for (const { cannot_claim, flags, rewards } of methods) {
      expect(cannot_claim.length).toBeGreaterThan(20)
      expect(flags.every((flag: string) => flag.startsWith('--'))).toBe(true)
      expect(['step', 'outcome', 'both', 'none']).toContain(rewards)
    }
    expect((await credit('methods')).stdout).toContain('gated-bepo\n  computes')
  })

  test('a refused process reward is a result', async () => {
    const file = join(folder, 'apart.jsonl')
    const row = (id: string, reward: number | null, first: number) =>
      JSON.stringify({
        id,
        group: 'g',
        reward,
        turns: [
          { role: 'user', text: 'q' },
          { role: 'assistant', token_ids: [first, 1] },
        ],
      })
    writeFileSync(file, [row('a', 1, 1), row('b', 0, 2), row('c', null, 3)].join('\n'))
    const { code, stdout } = await credit('process-reward', '--input', file, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      killed_groups: 1,
      verdict: 'refused',
      groups: [{ rollouts: 2, killed: true }],
    })
    expect((await credit('process-reward', '--input', file)).stdout).toMatch(/^refused: 1 of 1 group/)
  })
})

describe('bad input is one line and nothing on stdout', () => {
  const bare = join(folder, 'bare.jsonl')
  writeFileSync(bare, `${readFileSync(example, 'utf8').replaceAll('"values"', '"other"')}`)
  test.each([
    [
      ['estimate', '--method', 'gae', '--input', bare],
      /^error: \S*bare\.jsonl: gae needs values in turns\[1\]\. A critic records them: .*credit read --value-adapter adds those of a critic kept here \(row printer-0\)\n$/,
    ],
    [['estimate', '--method', 'gea', '--input', example], /^error: --method: gea is no method; did you mean gae\?\n$/],
    [
      ['estimate', '--method', 'gae', '--gamma', '2', '--input', example],
      /^error: --gamma: 2 is not allowed; must lie in 0 to 1\n$/,
    ],
    [
      ['estimate', '--method', 'gae', '--gamma', 'x', '--input', example],
      /^error: --gamma: x is not allowed; Must be a number\.\n$/,
    ],
    [['estimate', '--input', example], /^error: --method: is required\n$/],
    [
      ['compare', '--methods', 'gae', '--input', example],
      /^error: --methods: gae is one method; a comparison needs two\n$/,
    ],
    [
      ['compare', '--methods', 'gae,opd:rloo', '--input', example],
      /^error: --methods: opd:rloo: opd takes no baseline\n$/,
    ],
    [['diagnose', '--input', join(folder, 'none.jsonl')], /^error: \S*none\.jsonl: .+\n$/],
    [
      ['estimate', '--method', 'gae', '--gamma', '', '--input', example],
      /^error: --gamma: an empty value is not allowed; /,
    ],
    [['compare', '--methods', ',', '--input', example], /^error: --methods: holds an empty name\n$/],
    [['compare', '--methods', 'gae,gae', '--input', example], /^error: --methods: gae is one method; /],
    [
      ['compare', '--methods', 'gae,td', '--top', '-1', '--input', example],
      /^error: --top: -1 is not allowed; Must be 0 or more\.\n$/,
    ],
    [
      ['read', '--model', folder, '--null-token', '-1', '--input', example, '--out', join(folder, 'read.jsonl')],
      /^error: --null-token: -1 is not allowed; Must be 0 or more\.\n$/,
    ],
    [
      ['read', '--model', folder, '--gate-min', '2', '--input', example, '--out', join(folder, 'read.jsonl')],
      /^error: --gate-min: 2 is not allowed; Must be a number from 0 to 1\.\n$/,
    ],
    [
      ['audit', '--model', folder, '--optimizer-step', '', '--input', example],
      /^error: --optimizer-step: an empty value is not allowed; Must be the name of an optimizer, or none\.\n$/,
    ],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await credit(...args, '--json')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
  })
})
