/** `recompense serve` in a real Chromium: its cookie, its policy, its downloads, and a run that outlives its windows. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Page } from '@playwright/test'
import type { JobView } from '../src/shared/ipc.ts'
import { expect, test } from './fixtures.ts'
import { startServe } from './hosts/serve.ts'

/** Requests over a socket of the test's own, with the page's cookie and origin. */
async function ask<T>(
  page: Page,
  name: string,
  parameters: object,
): Promise<{ ok: boolean; value: T; message: string }> {
  return page.evaluate(
    ([what, given]) =>
      new Promise((done, fail) => {
        const socket = new WebSocket(`ws://${location.host}/socket`)
        socket.onopen = () => socket.send(JSON.stringify({ id: 1, name: what, parameters: given }))
        socket.onerror = () => fail(new Error('no socket'))
        socket.onmessage = ({ data }) => {
          const message = JSON.parse(String(data)) as { id?: number; reply?: never }
          if (message.id !== 1) return
          socket.close()
          done(message.reply as never)
        }
      }),
    [name, parameters] as const,
  )
}

const job = (page: Page) => ask<JobView | null>(page, 'jobs.current', {}).then(({ value }) => value)

function training(updates: number) {
  const folder = mkdtempSync(join(tmpdir(), 'recompense-train-'))
  const data = join(folder, 'rows "50 %" #1 № ü.jsonl')
  const rows = ['a', 'b', 'c', 'd'].map((id) =>
    JSON.stringify({ id, prompt: `Say ${id}.`, completion: `${id} it is.` }),
  )
  writeFileSync(data, `${rows.join('\n')}\n`)
  const model = resolve('test/golden/checkpoints/base_f32')
  const settings = { epochs: updates, accumulation_examples: 4 }
  return { kind: 'train', stage: 'sft', model, data, out: join(folder, 'adapter'), settings, threads: 1 }
}

test('the address loses its token, scripts cannot read the cookie, and the address works once', async ({
  browser,
  context,
  home,
}) => {
  const serve = await startServe(home.dir)
  const page = await context.newPage()
  await page.goto(serve.address)
  await expect.poll(() => new URL(page.url()).search).toBe('')
  expect(await page.evaluate(() => document.cookie)).toBe('')
  const [cookie] = await context.cookies()
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' })

  const stranger = await browser.newContext()
  const other = await stranger.newPage()
  expect((await other.goto(serve.address))?.status()).toBe(401)
  expect((await other.goto(new URL('/', serve.address).href))?.status()).toBe(401)
  await stranger.close()

  await page.reload()
  expect(await ask(page, 'app.info', {})).toMatchObject({ ok: true, value: { host: 'browser', problem: null } })
  expect(await serve.end()).toBe(0)
})

test('no inline script runs, and a report runs none at all', async ({ window, home, faults }) => {
  const ran = await window.evaluate(() => {
    const script = document.createElement('script')
    script.textContent = 'window.__ran = 1'
    document.head.append(script)
    return '__ran' in window
  })
  expect(ran).toBe(false)
  expect(faults.splice(0)).toEqual([expect.stringContaining('Content Security Policy')])
  const response = await window.request.get(new URL(`/report/${home.study}/`, window.url()).href)
  expect(response.headers()['content-security-policy']).toMatch(/^sandbox; default-src 'none'/)
})

test('a page of another origin reaches neither pages nor socket', async ({ context, home }) => {
  const serve = await startServe(home.dir)
  const own = await context.newPage()
  await own.goto(serve.address)
  await own.waitForLoadState('networkidle')
  const { port } = new URL(serve.address)
  const other = await context.newPage()
  // Another site, and another port of the same site: the cookie is the same there, the origin is not.
  for (const origin of ['http://evil.example', 'http://127.0.0.1:1']) {
    await other.route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body: '<title>evil</title>' }))
    await other.goto(`${origin}/`)
    const reached = await other.evaluate(async (target) => {
      const socket = await new Promise((done) => {
        const made = new WebSocket(`ws://127.0.0.1:${target}/socket`)
        made.onopen = () => done(true)
        made.onerror = () => done(false)
      })
      const fetched = await fetch(`http://127.0.0.1:${target}/`, { credentials: 'include' }).then(
        () => true,
        () => false,
      )
      return { socket, fetched }
    }, port)
    expect(reached).toEqual({ socket: false, fetched: false })
  }
  await serve.end()
})

test('exports are saved under their own names', async ({ window, home }) => {
  const exported = await ask<{ files: { path: string; bytes: number; url: string | null }[] }>(
    window,
    'report.export',
    {
      study_id: home.study,
      formats: ['html', 'csv', 'svg'],
    },
  )
  expect(exported.ok).toBe(true)
  expect(exported.value.files.length).toBeGreaterThan(3)
  for (const { url, path, bytes } of exported.value.files.slice(0, 4)) {
    const [download] = await Promise.all([
      window.waitForEvent('download'),
      window.evaluate((address) => {
        const link = document.createElement('a')
        link.href = address ?? ''
        link.click()
      }, url),
    ])
    expect(download.suggestedFilename()).toBe(path.split('/').at(-1))
    expect(readFileSync(await download.path()).length).toBe(bytes)
  }
})

test('a run is the same in two windows, survives both, and ends cleanly with the workbench', async ({
  context,
  emptyHome,
}) => {
  const serve = await startServe(emptyHome)
  const first = await context.newPage()
  await first.goto(serve.address)
  const second = await context.newPage()
  await second.goto(new URL('/', serve.address).href)
  const request = training(100_000)
  expect(await ask(first, 'jobs.start', request)).toMatchObject({ ok: true })
  await expect.poll(async () => (await job(second))?.progress?.done ?? 0).toBeGreaterThan(0)
  expect((await job(second))?.title).toBe((await job(first))?.title)
  expect(await ask(second, 'jobs.start', request)).toMatchObject({ ok: false, message: /is running; stop it first/ })

  await first.close()
  await second.close()
  const third = await context.newPage()
  await third.goto(new URL('/', serve.address).href)
  expect(await job(third)).toMatchObject({ state: 'running' })
  await ask(third, 'jobs.pause', {})
  await expect.poll(async () => (await job(third))?.state).toBe('paused')
  const before = (await job(third))?.progress?.done ?? 0
  await third.reload()
  expect(await job(third)).toMatchObject({ state: 'paused' })
  await ask(third, 'jobs.resume', {})
  await expect.poll(async () => (await job(third))?.progress?.done ?? 0).toBeGreaterThan(before)
  expect(await serve.end()).toBe(0)

  const again = await startServe(emptyHome)
  await third.goto(again.address)
  const runs = await ask<{ status: string; updates: number }[]>(third, 'runs.list', {})
  expect(runs.value[0]).toMatchObject({ status: 'interrupted' })
  expect(runs.value[0]?.updates).toBeGreaterThanOrEqual(before)
  expect(await again.end('SIGINT')).toBe(0)
})

test('a lost connection is said, comes back by itself, and what happened meanwhile is seen', async ({
  context,
  emptyHome,
}) => {
  const serve = await startServe(emptyHome)
  const page = await context.newPage()
  const sockets: { close: () => Promise<void> }[] = []
  let reachable = true
  await page.routeWebSocket(/\/socket$/, (socket) => {
    if (!reachable) return void socket.close()
    const server = socket.connectToServer()
    sockets.push({ close: () => Promise.all([socket.close(), server.close()]).then(() => {}) })
  })
  const lost = page.getByText('The connection to the workbench is lost.')
  await page.goto(serve.address)
  await expect(page.getByText('No study yet')).toBeVisible()
  await expect(lost).toHaveCount(0)

  reachable = false
  for (const { close } of sockets.splice(0)) await close()
  await expect(lost).toBeVisible()
  await expect(page.getByText('No study yet')).toBeVisible()
  const other = await context.newPage()
  await other.goto(new URL('/', serve.address).href)
  expect(await ask(other, 'jobs.start', training(100_000))).toMatchObject({ ok: true })
  await expect(page.getByRole('region', { name: 'Job' })).toHaveCount(0)

  reachable = true
  await expect(page.getByRole('region', { name: 'Job' })).toContainText('running', { timeout: 15_000 })
  await expect(lost).toHaveCount(0)
  await other.close()

  // The program itself ends: a new one admits nobody but who opens its address.
  expect(await serve.end()).toBe(0)
  await expect(lost).toBeVisible()
  await expect(page.getByText('open the address that it prints', { exact: false })).toBeVisible()
  const again = await startServe(emptyHome)
  await page.goto(again.address)
  await expect(lost).toHaveCount(0)
  await page.evaluate(() => {
    location.hash = '#/runs'
  })
  await expect(page.getByRole('table', { name: 'Runs' })).toContainText('interrupted')
  expect(await again.end()).toBe(0)
})
