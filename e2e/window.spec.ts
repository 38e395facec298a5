/**
 * The built desktop window in a real Chromium: main, preload and page as packaged, with a stand-in for Electron's own
 * API (`sim/`) that fails on any call it does not know and on any breach of Electron's security rules. It does not show
 * that the application runs in Electron.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Page } from '@playwright/test'
import type { Answers, Bridge, JobView, Reply, RequestName, RequestParameters } from '../src/shared/ipc.ts'
import { expect, test } from './fixtures.ts'
import { launchSim } from './sim/harness.ts'

const origin = 'app://recompense'
const channel = 'recompense:call'

/** A request as the page itself makes it. */
async function ask<Name extends RequestName>(page: Page, name: Name, parameters: RequestParameters<Name>) {
  const reply = await page.evaluate(
    ([to, what]) =>
      (window as unknown as { recompense: Bridge }).recompense.call(to as 'app.info', what as Record<string, never>),
    [name, parameters] as const,
  )
  return reply as unknown as Reply<Answers[Name]>
}

const temporary = (name: string) => mkdtempSync(join(tmpdir(), `recompense-${name}-`))

test('keeps pages, frames and strangers within their bounds', async ({ page, home }) => {
  const sim = await launchSim(page, { env: { RECOMPENSE_HOME: home.dir } })
  await sim.loaded
  expect((await sim.ask({ t: 'navigate', url: 'https://elsewhere.example/' })).stopped).toBe(true)
  expect((await sim.ask({ t: 'navigate', url: `${origin}/index.html` })).stopped).toBe(false)
  for (const url of ['file:///etc/passwd', 'https://elsewhere.example/', `${origin}/index.html`]) {
    expect((await sim.ask({ t: 'open', url })).r).toEqual({ action: 'deny' })
  }
  expect((await sim.invokeAs('https://elsewhere.example/', channel, 'studies.list', {})).e).toContain('unknown sender')
  expect((await sim.invokeAs(`${origin}/index.html`, channel, 'studies.drop', {})).r).toEqual({
    ok: false,
    message: 'unknown request',
  })
  expect((await sim.invokeAs(`${origin}/index.html`, channel, 'studies.show', { study_id: 7 })).r).toMatchObject({
    ok: false,
  })
  for (const path of ['/%2e%2e/%2e%2e/package.json', '/report/..%2f..%2fstore.sqlite/', '/report/study-x/']) {
    expect((await sim.ask({ t: 'request', url: `${origin}${path}` })).status).toBe(404)
  }
  const report = await sim.ask({ t: 'request', url: `${origin}/report/${home.study}/` })
  expect(report.status).toBe(200)
  expect((report.headers as Record<string, string>)['content-security-policy']).toMatch(/^sandbox; default-src 'none'/)
  const inline = await page.evaluate(() => {
    const script = document.createElement('script')
    script.textContent = 'window.__ran = 1'
    document.head.append(script)
    return '__ran' in window
  })
  expect(inline).toBe(false)
  expect(sim.log.map(({ t }) => t)).not.toContain('openExternal')
  await sim.close()
  expect(sim.violations).toEqual([])
})

test('gives the page two functions and nothing of Electron', async ({ page, home }) => {
  const sim = await launchSim(page, { env: { RECOMPENSE_HOME: home.dir } })
  await sim.loaded
  const exposed = await page.evaluate(() => {
    const { recompense } = window as unknown as { recompense: object }
    return Object.entries(recompense).map(([name, value]) => [name, typeof value])
  })
  expect(exposed).toEqual([
    ['call', 'function'],
    ['subscribe', 'function'],
  ])
  expect(await page.evaluate(() => ['require', 'process', 'module'].filter((name) => name in window))).toEqual([])
  await sim.close()
})

test('follows the theme, picks files, shows what it exported, and keeps its place', async ({ page, home }) => {
  const userData = temporary('user')
  const env = { RECOMPENSE_HOME: home.dir, SIM_USER_DATA: userData }
  writeFileSync(
    join(userData, 'window.json'),
    JSON.stringify({ x: 40, y: 30, width: 1000, height: 700, maximized: false }),
  )
  const sim = await launchSim(page, { env })
  await sim.loaded
  expect(sim.log).toContainEqual({ t: 'theme', value: 'system' })
  expect(sim.log.map(({ t }) => t)).toContain('menu')
  const { ok, value } = (await ask(page, 'preferences.get', {})) as Extract<
    Reply<Answers['preferences.get']>,
    { ok: true }
  >
  expect(ok).toBe(true)
  await ask(page, 'preferences.set', { ...value.preferences, theme: 'dark' })
  expect(sim.log).toContainEqual({ t: 'theme', value: 'dark' })

  expect(await ask(page, 'files.pick', { what: 'folder', title: 'Model' })).toEqual({ ok: true, value: null })
  const chosen = '/data/rows "50 %" № 1.jsonl'
  sim.answers({ open: { canceled: false, filePaths: [chosen] } })
  expect(await ask(page, 'files.pick', { what: 'file', title: 'Rows' })).toEqual({ ok: true, value: { path: chosen } })
  expect(sim.log).toContainEqual({ t: 'openDialog', properties: ['openFile'], title: 'Rows' })

  const exported = await ask(page, 'report.export', { study_id: home.study, formats: ['html', 'csv'] })
  expect(exported).toMatchObject({ ok: true })
  expect(sim.log).toContainEqual({ t: 'showItemInFolder', path: expect.stringMatching(/report\.html$/) })

  await sim.close()
  const window = sim.log.find(({ t }) => t === 'window')
  expect(window?.bounds).toEqual({ x: 40, y: 30, width: 1000, height: 700 })
  expect(JSON.parse(readFileSync(join(userData, 'window.json'), 'utf8'))).toMatchObject({ x: 40, width: 1000 })
})

test('says in words why a data folder cannot be used', async ({ page }) => {
  const home = join(temporary('home'), 'file')
  writeFileSync(home, '')
  const sim = await launchSim(page, { env: { RECOMPENSE_HOME: home } })
  await sim.loaded
  const problem = `${home}: is not a folder; choose another with --home`
  expect(await ask(page, 'app.info', {})).toMatchObject({ ok: true, value: { problem } })
  expect(await ask(page, 'studies.list', {})).toEqual({ ok: false, message: problem })
  expect(await ask(page, 'doctor.run', {})).toMatchObject({ ok: true, value: { ok: false } })
  await expect(page.getByText(problem).first()).toBeVisible()
  await sim.close()
})

test('opens nothing on a second launch', async ({ page }) => {
  const second = await launchSim(page, { env: { SIM_SECOND_LAUNCH: '1' } })
  await expect(second.loaded).rejects.toThrow('main exited')
  expect(second.log).toContainEqual({ t: 'quit' })
  expect(second.log.map(({ t }) => t)).not.toContain('window')
})

test.describe('a run', () => {
  const model = resolve('test/golden/checkpoints/base_f32')
  const rows = ['paused queue', 'wrong password', 'full disk', 'dark screen'].map((text, at) =>
    JSON.stringify({ id: `r${at}`, prompt: `What helps with a ${text}?`, completion: 'Look at it again.' }),
  )

  function request(epochs: number) {
    const folder = temporary('train')
    const data = join(folder, 'rows.jsonl')
    writeFileSync(data, `${rows.join('\n')}\n`)
    return {
      kind: 'train' as const,
      stage: 'sft' as const,
      model,
      data,
      out: join(folder, 'adapter'),
      settings: { epochs, accumulation_examples: 4 },
      threads: 1,
    }
  }

  const currentJob = async (page: Page): Promise<JobView | null> => {
    const reply = await ask(page, 'jobs.current', {})
    return reply.ok ? reply.value : null
  }

  test('is done by a utility process of the built program, and told over one channel', async ({ page, emptyHome }) => {
    const sim = await launchSim(page, { env: { RECOMPENSE_HOME: emptyHome, SECRET_OF_THE_USER: '1' } })
    await sim.loaded
    await page.evaluate(() => {
      const seen: unknown[] = []
      Object.assign(window, { seen })
      ;(window as unknown as { recompense: Bridge }).recompense.subscribe((event) => seen.push(event))
    })
    const job = request(1)
    expect(await ask(page, 'jobs.start', job)).toMatchObject({ ok: true, value: { title: 'SFT on rows.jsonl' } })
    await expect.poll(async () => (await currentJob(page))?.state).toBe('finished')
    expect(existsSync(join(job.out, 'adapter_model.safetensors'))).toBe(true)
    const started = sim.log.find(({ t }) => t === 'utilityProcess')
    expect(started?.path).toBe(resolve('out/main/stage-process.js'))
    expect(started?.environment).not.toContain('SECRET_OF_THE_USER')
    expect(started?.environment).not.toContain('RECOMPENSE_HOME')
    const seen = await page.evaluate(() => (window as unknown as { seen: { type: string; job?: JobView }[] }).seen)
    expect(seen.some(({ type, job: told }) => type === 'job' && told?.state === 'finished')).toBe(true)
    await sim.close()
    expect(sim.violations).toEqual([])
  })

  test('is asked about when the window closes: it goes on, is shown again, and stops at an update', async ({
    page,
    emptyHome,
  }) => {
    const sim = await launchSim(page, { env: { RECOMPENSE_HOME: emptyHome } })
    await sim.loaded
    await ask(page, 'jobs.start', request(100_000))
    await expect.poll(async () => (await currentJob(page))?.progress?.done ?? 0).toBeGreaterThan(0)
    const told = (t: string) => sim.log.filter((entry) => entry.t === t).length

    sim.answers({ message: 2 })
    sim.closeWindow()
    await expect.poll(() => told('messageBox')).toBe(1)
    expect((await currentJob(page))?.state).toBe('running')

    sim.answers({ message: 0 })
    sim.closeWindow()
    await expect.poll(() => told('hide')).toBe(1)
    expect((await currentJob(page))?.state).toBe('running')
    sim.launchAgain()
    await expect.poll(() => told('show')).toBe(2)

    sim.answers({ message: 1 })
    sim.closeWindow()
    await sim.ended()
    expect(told('messageBox')).toBe(3)
    expect(sim.violations).toEqual([])
  })
})

/** What the stand-in must notice, or the tests above prove nothing. */
const mutations = [
  ['the sandbox is off', 'sandbox: true', 'sandbox: false', 'sandbox is off'],
  ['pages get Node', 'nodeIntegration: false', 'nodeIntegration: true', 'nodeIntegration is on'],
  [
    'no scheme is registered',
    'protocol.registerSchemesAsPrivileged',
    'void 0 && protocol.registerSchemesAsPrivileged',
    'not privileged',
  ],
  ['an API does not exist', 'app.enableSandbox()', 'app.enableSandboxes()', 'not modelled'],
  ['the preload is not there', '"index.cjs"', '"index.mjs"', 'not an existing'],
  ['pages may leave', '"will-navigate"', '"may-navigate"', 'no will-navigate guard'],
] as const

for (const [name, from, to, fault] of mutations) {
  test(`the stand-in notices when ${name}`, async ({ page }) => {
    // Beside the program's own output: the copy finds modules and resources as the original does.
    const folder = mkdtempSync(join('e2e', 'results', 'mutation-'))
    cpSync('out', folder, { recursive: true })
    const entry = join(folder, 'main', 'index.js')
    const source = readFileSync(entry, 'utf8')
    expect(source, readdirSync('out/main').join()).toContain(from)
    writeFileSync(entry, source.replace(from, to))
    const sim = await launchSim(page, { entry })
    await expect(sim.loaded).rejects.toThrow(fault)
    sim.kill()
  })
}
