/** The desk's commands as a shell sees them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeskTrajectory } from '../engine/desk/episode.ts'
import type { DeskTask } from '../engine/desk/tasks.ts'
import { checkRows } from '../workbench/check-rows.ts'
import { runCli } from './run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-desk-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const model = resolve('resources/models/embedded')
const at = (name: string) => join(folder, name)
const rowsOf = <T>(name: string) =>
  readFileSync(at(name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T)

async function jsonOf(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCli([...args, '--json', '--home', at('home')])
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout) as Record<string, unknown>
}
async function refusalOf(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli([...args, '--json', '--home', at('home')])
  expect([code, stdout]).toEqual([2, ''])
  const errors = stderr.split('\n').filter((line) => line.startsWith('error:'))
  expect(errors).toHaveLength(1)
  return errors[0]!
}

describe('desk', () => {
  beforeAll(async () => {
    const written = await jsonOf('desk', 'tasks', '--split', 'validation', '--out', at('tasks.jsonl'))
    expect(written).toEqual({ file: at('tasks.jsonl'), rows: 90, families: 10 })
    const few = rowsOf<DeskTask>('tasks.jsonl').slice(0, 2)
    writeFileSync(at('few.jsonl'), few.map((task) => `${JSON.stringify(task)}\n`).join(''))
  }, 60_000)

  it('plays the tasks of a file and shows what was said', async () => {
    const played = await jsonOf(
      ...['desk', 'rollouts', '--model', model, '--tasks', at('few.jsonl'), '--group-size', '2'],
      ...['--threads', '1', '--out', at('rollouts.jsonl')],
    )
    expect(played).toMatchObject({ out: at('rollouts.jsonl'), summary: { rollouts: 4, groups: 2, graded: 4 } })
    const rows = rowsOf<DeskTrajectory>('rollouts.jsonl')
    expect(rows.map(({ task }) => task.id)).toEqual(rowsOf<DeskTask>('few.jsonl').flatMap(({ id }) => [id, id]))
    const shown = await runCli(['desk', 'show', '--input', at('rollouts.jsonl'), '--first', '1'])
    expect(shown.stdout).toContain('at fault among')
    expect(shown.stdout).toContain(rows[0]!.turns[1]!.text!)
  }, 60_000)

  it('writes demonstrations that the rows check of training accepts, and pairs', async () => {
    const made = await jsonOf('desk', 'demonstrations', '--tasks', at('few.jsonl'), '--out', at('demonstrations.jsonl'))
    expect(made).toMatchObject({ rows: 12, summary: { rollouts: 12, invalid_share: 0 } })
    const check = await checkRows({ file: at('demonstrations.jsonl'), kind: 'demonstration', model })
    expect([check.rows, check.problems.filter(({ problem }) => !problem.includes('max_context_tokens'))]).toEqual([
      12,
      [],
    ])
    expect(await jsonOf('desk', 'preferences', '--tasks', at('few.jsonl'), '--out', at('pairs.jsonl'))).toMatchObject({
      rows: 4,
    })
  }, 60_000)

  it('refuses in one line what cannot be played, and writes nothing', async () => {
    const play = ['desk', 'rollouts', '--model', model, '--tasks', at('few.jsonl'), '--out', at('no.jsonl')]
    expect(await refusalOf(...play, '--failure-rate', '2')).toMatch(/^error: --failure-rate: /)
    expect(await refusalOf(...play, '--horizon', '13')).toMatch(/^error: --horizon: /)
    writeFileSync(at('rules.yaml'), 'reward_model_weight: 1\n')
    expect(await refusalOf(...play, '--rules', at('rules.yaml'))).toMatch(/^error: --reward-adapter: is needed/)
    writeFileSync(at('strange.yaml'), 'chek_cost: 1\n')
    expect(await refusalOf(...play, '--rules', at('strange.yaml'))).toContain('chek_cost')
    for (const flag of ['--check-cost', '--failure-rate']) {
      expect(await refusalOf(...play, flag, '')).toBe(
        `error: ${flag}: an empty value is not allowed; Must be a number.`,
      )
      expect(await refusalOf(...play, flag, 'x')).toBe(`error: ${flag}: x is not allowed; Must be a number.`)
    }
    writeFileSync(at('stray.jsonl'), '{"id":"x","prompt":"hi"}\n')
    expect(
      await refusalOf('desk', 'rollouts', '--model', model, '--tasks', at('stray.jsonl'), '--out', at('no.jsonl')),
    ).toMatch(/stray.jsonl: .*\(row x, line 1\)/)
    const branch = ['desk', 'branch', '--model', model, '--out', at('no.jsonl'), '--input']
    expect(await refusalOf(...branch, resolve('resources/examples/trajectories.jsonl'))).toContain(
      'no rollout of the desk',
    )
    expect(existsSync(at('no.jsonl'))).toBe(false)
  }, 120_000)

  it('lets no rule of the desk pass unread where no desk is played', async () => {
    const train = ['train', 'grpo', '--model', model, '--data', at('few.jsonl'), '--init-adapter', folder]
    expect(await refusalOf(...train, '--check-cost', '1', '--out', at('no'))).toBe(
      'error: --check-cost: is a rule of the desk; give --environment desk with it',
    )
    expect(await refusalOf(...train, '--out', at('no'))).toMatch(/^error: --reward-adapter: is needed/)
  }, 60_000)
})
