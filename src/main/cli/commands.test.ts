/** Commands at work, as a shell sees them; and help that says all there is to say. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { afterAll, describe, expect, it } from 'vitest'
import { buildProgram } from './program.ts'
import { runCli, startCli } from './run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-commands-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const model = resolve('test/golden/checkpoints/base_f32')
const home = join(folder, 'home')
/** Fails where a native module is loaded: what starts without one starts fast. */
const withoutAddons = { NODE_OPTIONS: '--no-addons' }

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

async function jsonOf(args: readonly string[], environment?: Record<string, string>): Promise<unknown> {
  const { code, stdout, stderr } = await runCli([...args, '--json', '--home', home], environment)
  expect(code, stderr).toBe(0)
  expect(stdout.endsWith('\n') && !stdout.slice(0, -1).includes('\n')).toBe(true)
  return JSON.parse(stdout)
}

describe('help', () => {
  const refuse = () => {
    throw new Error('nothing is run here')
  }
  const leaves = (command: Command, path: string[] = []): [string, Command][] =>
    command.commands.length === 0
      ? [[path.join(' '), command]]
      : command.commands.flatMap((member) => leaves(member, [...path, member.name()]))
  const commands = leaves(buildProgram(refuse, refuse, refuse)).filter(([name]) => name !== 'help')

  it.each(commands)('%s says what it does, what every flag means, and shows an example of itself', (name, command) => {
    let text = ''
    command.configureOutput({ writeOut: (part) => (text += part) })
    command.outputHelp()
    expect(command.description().length).toBeGreaterThan(10)
    for (const option of command.options) expect(option.description.length, option.flags).toBeGreaterThan(5)
    expect(text).toContain(`npm run --silent recompense -- ${name}`)
    expect(text).toMatch(/--json/)
  })

  it('and the light commands load no native module', async () => {
    const { code, stdout } = await runCli(['help', 'study', 'run'], withoutAddons)
    expect(code).toBe(0)
    expect(stdout).toContain('Ctrl-C stops at the next update')
    const corpus = join(folder, 'corpus')
    const written = await jsonOf(['corpus', 'generate', '--out', corpus], withoutAddons)
    expect(written).toMatchObject({ dataset: 'OfficeHelpPrefs-v1', seed: 49, audit: { pairs: 1200 } })
    expect(await jsonOf(['corpus', 'audit', corpus], withoutAddons)).toMatchObject({ audit: { pairs: 1200 } })
    const rows = file('tokenize.jsonl', '{"text":"Hello, world!"}\n')
    expect(await jsonOf(['tokenize', '--model', model, '--input', rows], withoutAddons)).toEqual({
      rows: [{ ids: [414, 351, 78, 11, 265, 292, 411, 0], text: 'Hello, world!' }],
    })
  }, 60_000)
})

describe('rows', () => {
  it('are scored as given, in order, and generated from until an end-of-text id or the limit', async () => {
    const rows = file(
      'score.jsonl',
      '{"id":"b","prompt_ids":[5,6,7],"completion_ids":[8,9]}\n{"id":"a","prompt":"hi","completion":"yo"}\n',
    )
    const scored = (await jsonOf(['score', '--model', model, '--input', rows])) as {
      rows: { id: string; token_ids: number[]; logprobs: number[]; sum_logprob: number; tokens: number }[]
    }
    expect(scored.rows.map(({ id }) => id)).toEqual(['b', 'a'])
    expect(scored.rows[0]?.token_ids).toEqual([8, 9])
    expect(scored.rows[1]?.token_ids.at(-1)).toBe(503)
    for (const { logprobs, sum_logprob: sum, tokens } of scored.rows) {
      expect(logprobs).toHaveLength(tokens)
      expect(logprobs.every((value) => value < 0)).toBe(true)
      expect(logprobs.reduce((total, value) => total + value, 0)).toBeCloseTo(sum, 6)
    }

    const generate = ['generate', '--model', model, '--input', rows, '--max-new-tokens', '4']
    const sampled = await jsonOf([...generate, '--seed', '1'])
    expect(await jsonOf([...generate, '--seed', '1'])).toEqual(sampled)
    expect(await jsonOf([...generate, '--seed', '2'])).not.toEqual(sampled)
    for (const row of (sampled as { rows: { token_ids: number[]; finish_reason: string }[] }).rows) {
      expect(row.finish_reason).toBe([501, 503].includes(row.token_ids.at(-1) ?? -1) ? 'eos' : 'length')
    }
  }, 60_000)
})

describe('a learning stage', () => {
  const rows = () =>
    file(
      'train.jsonl',
      Array.from({ length: 4 }, (_, id) => JSON.stringify({ id, prompt: `p${id}`, completion: `c${id}` })).join('\n'),
    )
  const sft = (out: string, ...more: string[]) => [
    'train',
    'sft',
    '--model',
    model,
    '--data',
    rows(),
    '--out',
    out,
    ...more,
  ]

  it('writes its adapter whole, with the history of its updates', async () => {
    const config = file('short.yaml', 'epochs: 1\naccumulation_examples: 2\n')
    const out = join(folder, 'adapter')
    const trained = (await jsonOf(sft(out, '--config', config))) as { updates: number; history: object[] }
    expect(trained).toMatchObject({ updates: 2, final_learned_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(trained.history[0]).toMatchObject({ update: 1, learning_rate: expect.any(Number), loss: expect.any(Number) })
    expect(readdirSync(out).sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors'])
  }, 60_000)

  it('stops at the next update on the first Ctrl-C, keeps its state, and is continued by the same command', async () => {
    const config = file('endless.yaml', 'epochs: 100000\naccumulation_examples: 1\n')
    const out = join(folder, 'never')
    const args = [...sft(out, '--config', config), '--json', '--home', home]
    const first = startCli(args)
    await waitFor(() => first.stderr().includes('train 0/'))
    await pause(500)
    first.child.kill('SIGINT')
    const { code, stdout, stderr } = await first.result
    expect(code).toBe(130)
    expect(stdout).toBe('')
    expect(stderr).toContain('stopping at the next update')
    expect(existsSync(out)).toBe(false)

    const second = startCli(args)
    await waitFor(() => second.stderr().includes('continuing run-'))
    second.child.kill('SIGINT')
    await pause(700)
    second.child.kill('SIGINT')
    expect((await second.result).code).toBe(130)
  }, 90_000)
})

it('ends quietly when its reader has gone', async () => {
  const { child, result } = startCli(['help'])
  child.stdout.destroy()
  const { code, stderr } = await result
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

it('runs through the packaged bin, whatever Node starts it', async () => {
  const bin = resolve('bin/recompense.mjs')
  expect(readFileSync(bin, 'utf8').startsWith('#!/usr/bin/env node\n')).toBe(true)
  const { execFileSync } = await import('node:child_process')
  expect(execFileSync(process.execPath, [bin, '--version'], { encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+\n$/)
})

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function waitFor(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 50) {
    if (waited > 60_000) throw new Error('waited a minute in vain')
    await pause(50)
  }
}
