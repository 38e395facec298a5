/**
 * Outputs on a disk that is really full: a small file system in memory, in a mount namespace of the test's own. Each
 * writer fails with one line that names the file it was at, prints nothing, and leaves nothing behind.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeBench, quickConfig } from '../workbench/fake-bench.ts'
import { runStudy } from '../workbench/study-run.ts'

const root = mkdtempSync(join(tmpdir(), 'recompense-full-output-'))
const disk = join(root, 'disk')
mkdirSync(disk)
const fake = fakeBench()
afterAll(() => {
  rmSync(root, { recursive: true, force: true })
  rmSync(fake.root, { recursive: true, force: true })
})

const mount = (kilobytes: number) => `mount -t tmpfs -o size=${kilobytes}k none ${disk}`
/** Root may make a namespace; others may where the kernel lets users have their own. */
const unshare = [['-m'], ['-Urm']].find((flags) => spawnSync('unshare', [...flags, 'sh', '-c', mount(8)]).status === 0)
const model = resolve('test/golden/checkpoints/base_f32')
let study: string

beforeAll(async () => {
  const bench = fake.open()
  study = (await runStudy(bench, { model, config: quickConfig, name: 'small', device: 'cpu', threads: 1 })).study_id
  bench.close()
  const rows = ['a', 'b'].map((id) => JSON.stringify({ id, prompt: `p${id}`, completion: `c${id}` }))
  writeFileSync(join(root, 'rows.jsonl'), rows.join('\n'))
  writeFileSync(join(root, 'short.yaml'), 'epochs: 1\n')
}, 60_000)

/** @returns exit status, stdout, stderr, and what is on the disk afterwards */
function onDiskOf(kilobytes: number, ...args: string[]) {
  const program = [process.execPath, '--disable-warning=ExperimentalWarning', resolve('src/main/cli/index.ts')]
  const command = [...program, ...args, '--home', fake.home].map((part) => `'${part}'`).join(' ')
  const script = `${mount(kilobytes)} && cd / && ${command} > ${root}/out 2> ${root}/err; echo $?; cat ${root}/out; echo ---; cat ${root}/err; echo ---; ls -A ${disk}`
  const { stdout } = spawnSync('unshare', [...unshare!, 'bash', '-c', script], { encoding: 'utf8' })
  const [said = '', errors = '', left = ''] = stdout.split('---\n')
  const [status, ...output] = said.split('\n')
  return { status: Number(status), output: output.join('\n'), errors: errors.trimEnd().split('\n'), left: left.trim() }
}

describe.skipIf(unshare === undefined)('an output on a full disk', () => {
  it.each([
    ['report', 64, () => ['report', study, '--format', 'html', '--out', `${disk}/r`], 'r/report\\.html'],
    [
      'a report’s tables',
      64,
      () => ['report', study, '--format', 'csv', '--out', `${disk}/r`],
      'r/tables/[\\w-]+\\.csv',
    ],
    ['study export', 64, () => ['study', 'export', study, '--out', `${disk}/s.zip`], 's\\.zip'],
    ['corpus generate', 256, () => ['corpus', 'generate', '--out', `${disk}/c`], 'c/[\\w/.-]+\\.jsonl?'],
    [
      'train --out',
      16,
      () => [
        ...['train', 'sft', '--model', model, '--data', join(root, 'rows.jsonl'), '--threads', '1'],
        ...['--config', join(root, 'short.yaml'), '--out', `${disk}/adapter`],
      ],
      'adapter/[\\w.]+',
    ],
  ] as const)('fails %s with one line that names the file', (_, kilobytes, args, file) => {
    const { status, output, errors, left } = onDiskOf(kilobytes, ...args())
    const lines = errors.filter((line) => line.startsWith('error:'))
    expect(lines, errors.join('\n')).toHaveLength(1)
    expect(lines[0]).toMatch(
      new RegExp(`^error: ${disk}/${file}: the disk is full; nothing was written under this name$`),
    )
    expect([status, output]).toEqual([1, ''])
    // The report's folder may stay, empty.
    expect(['', 'r']).toContain(left)
  })
})
