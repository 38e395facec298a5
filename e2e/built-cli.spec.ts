/** The built program, without its sources: what a package holds can start stages, and keeps them within their bounds. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from '@playwright/test'

const root = resolve('.')
const model = resolve('test/golden/checkpoints/base_f32')
let folder: string

test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recompense-built-'))
  const rows = ['a', 'b', 'c', 'd'].map((id) =>
    JSON.stringify({ id, prompt: `Say ${id}.`, completion: `${id} it is.` }),
  )
  writeFileSync(join(folder, 'rows.jsonl'), `${rows.join('\n')}\n`)
  writeFileSync(join(folder, 'sft.yaml'), 'epochs: 1\naccumulation_examples: 4\n')
})
test.afterEach(() => rmSync(folder, { recursive: true, force: true }))

function run(program: string, args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [program, ...args], (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

const training = () => [
  ...['train', 'sft', '--model', model, '--data', join(folder, 'rows.jsonl'), '--config', join(folder, 'sft.yaml')],
  ...['--out', join(folder, 'adapter'), '--home', join(folder, 'home'), '--threads', '1', '--json'],
]

test('trains, and learns the same as the sources do', async () => {
  const built = await run(join(root, 'out', 'main', 'cli.js'), training())
  expect(built.stderr).not.toContain('error:')
  expect(built.code).toBe(0)
  expect(existsSync(join(folder, 'adapter', 'adapter_model.safetensors'))).toBe(true)
  rmSync(join(folder, 'adapter'), { recursive: true })
  rmSync(join(folder, 'home'), { recursive: true })
  const source = await run(join(root, 'src', 'main', 'cli', 'index.ts'), training())
  const learned = ({ stdout }: { stdout: string }) =>
    (JSON.parse(stdout) as { final_learned_sha256: string }).final_learned_sha256
  expect(learned(built)).toBe(learned(source))
})

test('trains where only the package is: no sources, modules elsewhere', async () => {
  const place = join(folder, 'package with spaces, ü and %')
  mkdirSync(place)
  for (const name of ['out', 'bin', 'package.json']) cpSync(join(root, name), join(place, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'))
  const { code, stderr, stdout } = await run(join(place, 'bin', 'recompense.mjs'), training())
  expect(stderr).not.toContain('error:')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ updates: 1 })
})

test('refuses bad input in one line, as the sources do', async () => {
  const { code, stdout, stderr } = await run(join(root, 'out', 'main', 'cli.js'), ['train', 'sft', '--model', folder])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^error: --data: is required\n$/)
})
