/** `serve` as a shell sees it. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { builtPages } from '../program-layout.ts'
import { storeFile } from '../store/open-store.ts'
import { startCli } from './run-cli.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'serve-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

async function started(args: readonly string[]) {
  const cli = startCli(['serve', '--home', home, ...args])
  const line = await new Promise<string>((resolve, reject) => {
    cli.child.stdout.once('data', (text: string) => resolve(text))
    void cli.result.then(({ stderr }) => reject(new Error(stderr)))
  })
  return { ...cli, line }
}

describe.runIf(existsSync(join(builtPages, 'index.html')))('serve', () => {
  it('prints one address, serves it on loopback, and ends cleanly on SIGTERM', async () => {
    const { child, result, line } = await started([])
    expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}\n$/)
    const response = await fetch(line.trim())
    expect(response.status).toBe(200)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    child.kill('SIGTERM')
    const { code, stdout } = await result
    expect([code, stdout]).toEqual([0, line])
  })

  it('prints one JSON document with --json', async () => {
    const { child, result, line } = await started(['--json'])
    const { address, port, home: folder } = JSON.parse(line) as { address: string; port: number; home: string }
    expect(new URL(address).port).toBe(String(port))
    expect(folder).toBe(home)
    child.kill('SIGINT')
    expect((await result).code).toBe(0)
  })

  it('refuses a port that is taken and a store that is damaged, in one line', async () => {
    const first = await started([])
    const { port } = new URL(first.line)
    const taken = await startCli(['serve', '--home', home, '--port', port]).result
    expect(taken).toMatchObject({ code: 2, stdout: '' })
    expect(taken.stderr).toMatch(/error: --port: \d+ is in use; name another, or 0 for any free one\n$/)
    first.child.kill('SIGTERM')
    await first.result
    writeFileSync(storeFile(home), 'not a database')
    const damaged = await startCli(['serve', '--home', home]).result
    expect(damaged).toMatchObject({ code: 2, stdout: '' })
    expect(damaged.stderr).toMatch(/error: .*store\.sqlite: is damaged and was left as it is/)
    expect((await startCli(['serve', '--port', '70000']).result).stderr).toMatch(/^error: --port: 70000 is not allowed/)
  })
})
