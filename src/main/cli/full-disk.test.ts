/**
 * A data folder on a disk that is really full: a small file system in memory, in a mount namespace of the test's own. The
 * work stops in one sentence, nothing is damaged, and the same command goes on once there is room.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const root = mkdtempSync(join(tmpdir(), 'recompense-full-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const disk = join(root, 'disk')
mkdirSync(disk)

const mount = `mount -t tmpfs -o size=6m none ${disk}`
/** Root may make a namespace; others may where the kernel lets users have their own. */
const unshare = [['-m'], ['-Urm']].find((flags) => spawnSync('unshare', [...flags, 'sh', '-c', mount]).status === 0)

describe.skipIf(unshare === undefined)('a disk that fills up while a stage learns', () => {
  it('interrupts the run in one sentence, and the same command goes on when there is room', async () => {
    writeFileSync(
      join(root, 'rows.jsonl'),
      ['a', 'b', 'c', 'd'].map((id) => JSON.stringify({ id, prompt: `p${id}`, completion: `c${id}` })).join('\n'),
    )
    writeFileSync(join(root, 'long.yaml'), 'epochs: 100000\naccumulation_examples: 4\n')
    const command = [
      ...[process.execPath, resolve('src/main/cli/index.ts'), 'train', 'sft', '--json', '--home', `${disk}/home`],
      ...['--model', resolve('test/golden/checkpoints/base_f32'), '--data', join(root, 'rows.jsonl')],
      ...['--config', join(root, 'long.yaml'), '--out', join(root, 'adapter'), '--threads', '1'],
    ].join(' ')
    // The first run meets a disk that another program fills; the second is stopped as soon as it has learned something more.
    const script = `${mount} && cd /
      ${command} > ${root}/first.out 2> ${root}/first.err & first=$!
      until grep -q '"update":20' ${disk}/home/runs/*/journal.jsonl 2> /dev/null; do sleep 0.1; done
      cat /dev/zero > ${disk}/filler 2> /dev/null
      wait $first; echo "first $?"
      rm ${disk}/filler
      before=$(wc -l < $(echo ${disk}/home/runs/*/journal.jsonl))
      ${command} > ${root}/second.out 2> ${root}/second.err & second=$!
      until [ "$(wc -l < $(echo ${disk}/home/runs/*/journal.jsonl))" -gt $((before + 5)) ]; do sleep 0.1; done
      kill -INT $second; wait $second; echo "second $?"
      ls ${disk}/home/runs | wc -l
      cat ${root}/first.out; sed 's/^/first: /' ${root}/first.err; sed 's/^/second: /' ${root}/second.err
      ${command.replace(/ train .*/, '')} doctor --json --home ${disk}/home`
    const { code, stdout } = await shell(script)
    expect(code, stdout).toBe(0)
    expect(stdout).toContain('first 2\nsecond 130\n1\n')
    const errors = stdout.split('\n').filter((line) => line.startsWith('first: error:'))
    expect(errors).toEqual([
      `first: error: ${disk}/home: is on a disk that is full; free some space and run the same command again`,
    ])
    expect(stdout).toMatch(/^second: continuing run-/m)
    const checks = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { checks: { name: string; status: string }[] }
    expect(checks.checks.find(({ name }) => name === 'store')).toMatchObject({ status: 'ok' })
  }, 120_000)
})

function shell(script: string): Promise<{ code: number | null; stdout: string }> {
  const child = spawn('unshare', [...(unshare ?? []), 'bash', '-c', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning' },
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  return new Promise((done) => child.on('close', (code) => done({ code, stdout })))
}
