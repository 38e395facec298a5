/** What a window is told of files that it names. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { KeptTrajectories } from '../../shared/credit.ts'
import type { RequestHandlers } from '../../shared/ipc.ts'
import { openWorkbench, type Workbench } from '../workbench/workbench.ts'
import { answer } from './answer.ts'
import { creditHandlers } from './credit-handlers.ts'

let home: string
let bench: Workbench
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'recompense-handlers-'))
  bench = openWorkbench({ home })
})
afterEach(() => {
  bench.close()
  rmSync(home, { recursive: true, force: true })
})
const ask = (name: string, parameters: unknown) =>
  answer(creditHandlers(bench) as unknown as RequestHandlers, name, parameters)
const refused = async (name: string, parameters: unknown) => {
  const reply = await ask(name, parameters)
  return reply.ok ? null : reply.message
}

it('names what the user chose where it is no file, and never its own copy', async () => {
  const folder = join(home, 'folder')
  mkdirSync(folder)
  const keep = (format: string, file: string) => refused('credit.keep', { format, file })
  expect(await keep('trajectories', folder)).toBe(`${folder}: is a folder, a file is needed`)
  expect(await keep('trajectories', home)).toBe(`${home}: is a folder, a file is needed`)
  mkdirSync(join(home, 'runs', 'run_1', 'steps'), { recursive: true })
  for (const format of ['skyrl', 'verl', 'trl', 'openrlhf', 'reward-lens'])
    expect(await keep(format, home)).toMatch(new RegExp(`^${home}[^.]*: (?!.*\\.import)`))
  expect(readdirSync(join(home, 'trajectories'))).toEqual([])
})

it('says in words of its own that a path cannot be', async () => {
  const words = 'holds a NUL character, which no path can'
  const file = resolve('resources/examples/trajectories.jsonl')
  for (const format of ['trajectories', 'verl', 'reward-lens'])
    expect(await refused('credit.keep', { format, file: 'a\0b' })).toBe(`credit.keep: file ${words}`)
  expect(await refused('credit.keep', { format: 'trajectories', file, tokenizer: '\0' })).toBe(
    `credit.keep: tokenizer ${words}`,
  )
})

it('answers for a kept file until it is forgotten', async () => {
  const file = resolve('resources/examples/trajectories.jsonl')
  const kept = await ask('credit.keep', { format: 'trajectories', file })
  const { sha256 } = (kept as { value: KeptTrajectories }).value
  const source = { kind: 'file', sha256 }
  expect(await ask('credit.rollouts', { source })).toMatchObject({ ok: true })
  expect(await ask('credit.forget', { sha256 })).toMatchObject({ ok: true, value: { files: [] } })
  for (const [name, more] of [
    ['credit.rollouts', {}],
    ['credit.process-reward', {}],
    ['credit.compare', { methods: ['gae'], settings: {} }],
  ] as const)
    expect(await refused(name, { source, ...more })).toBe(`${sha256}: is not a kept trajectory file`)
})
