import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, test } from 'vitest'
import { runCli } from './run-cli.ts'
import { requireWritableFile } from './user-path.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-paths-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('requireWritableFile', () => {
  it('takes a new name and an old file, and leaves the folder as it was', () => {
    mkdirSync(join(folder, 'good'))
    writeFileSync(join(folder, 'good', 'old'), 'text')
    requireWritableFile(join(folder, 'good', 'new'))
    requireWritableFile(join(folder, 'good', 'old'))
    expect(readdirSync(join(folder, 'good'))).toEqual(['old'])
  })

  it('refuses a folder, and a place whose folder is missing or is a file', () => {
    writeFileSync(join(folder, 'file'), '')
    expect(() => requireWritableFile(folder)).toThrow(`${folder}: is a folder, a file is needed`)
    expect(() => requireWritableFile(join(folder, 'none', 'x'))).toThrow('the folder to write to does not exist')
    expect(() => requireWritableFile(join(folder, 'file', 'x'))).toThrow('a part of the path is a file, not a folder')
  })
})

/** Nothing that these name exists: a command that opened anything before it looked at the output would name that. */
const none = join(folder, 'nothing')
const commands: [command: string, flags: string[], out?: string][] = [
  ['credit read', ['--model', none, '--policy', 'base', '--input', none]],
  ['credit in-context', ['--model', none, '--input', none], '--output'],
  ['desk rollouts', ['--model', none]],
  ['desk branch', ['--model', none, '--input', none]],
  ['desk demonstrations', ['--per-task', '1']],
  ['desk preferences', []],
  ['desk tasks', []],
  ['export trajectories', [none, '--home', none]],
  ['import rollouts', [none, '--from', 'verl']],
  ['study export', [none, '--home', none]],
]

test.each(commands)(
  '%s looks at its output before any work',
  async (command, flags, out = '--out') => {
    for (const [path, problem] of [
      [folder, 'is a folder, a file is needed'],
      [join(none, 'x'), 'the folder to write to does not exist'],
    ] as const) {
      const { code, stdout, stderr } = await runCli([...command.split(' '), ...flags, out, path])
      expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `error: ${path}: ${problem}\n` })
    }
  },
  60_000,
)
