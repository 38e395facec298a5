/**
 * The built desktop window in a real Chromium: main, preload and page as packaged, with a stand-in for Electron's own
 * API (`sim/`) that fails on any call it does not know and on any breach of Electron's security rules. It does not show
 * that the application runs in Electron.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { fixtureDocument } from '../src/main/report/fixture/study-document.ts'
import { writeReport } from '../src/main/report/write-report.ts'
import { openStore } from '../src/main/store/open-store.ts'
import { insertStages } from '../src/main/store/stages.ts'
import { insertStudy } from '../src/main/store/studies.ts'
import { reportDir } from '../src/main/workbench/places.ts'
import type { StudyId } from '../src/shared/ids.ts'
import { launchSim } from './sim/harness.ts'

const origin = 'app://recompense'
const channel = 'recompense:call'

/** A data folder with one finished study and its report. */
async function homeWithStudy(): Promise<{ home: string; id: StudyId }> {
  const home = mkdtempSync(join(tmpdir(), 'recompense-home-'))
  const document = fixtureDocument()
  const id = document.study_id as StudyId
  const store = openStore(home)
  insertStudy(store.db, {
    studyId: id,
    name: document.name,
    preset: document.preset,
    status: 'finished',
    seed: document.seed,
    config: document.config,
    configSha256: document.config_sha256,
    codeVersion: document.code_version,
    modelDir: document.model.folder,
    modelFiles: document.model.files,
    baseSha256: null,
    device: 'cpu',
    deviceReason: null,
    threads: 1,
    verifyResume: false,
    corpusManifestSha256: null,
    corpusAudit: null,
    reportFiles: [],
    owner: null,
    error: null,
    errorStage: null,
    createdAt: document.created_at,
    finishedAt: document.finished_at,
  })
  insertStages(store.db, id)
  store.close()
  mkdirSync(reportDir(home, id), { recursive: true })
  await writeReport(document, { formats: ['html'], out: reportDir(home, id) })
  return { home, id }
}

test('lists studies, opens one and shows its report in a frame without scripts', async ({ page }) => {
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  const { home, id } = await homeWithStudy()
  const sim = await launchSim(page, { env: { RECOMPENSE_HOME: home } })
  await sim.loaded

  await page.getByRole('button', { name: /seed 49/ }).click()
  await expect(page.getByText(id)).toBeVisible()
  await expect(page.locator('table').getByText('corpus')).toBeVisible()
  const report = page.frameLocator('iframe')
  await expect(report.getByRole('heading', { level: 1 })).toBeVisible()
  expect(await page.locator('iframe').getAttribute('sandbox')).toBe('')
  expect(faults).toEqual([])

  await sim.close()
  expect(sim.violations).toEqual([])
})

test('says what to do in an empty data folder', async ({ page }) => {
  const sim = await launchSim(page)
  await sim.loaded
  await expect(page.getByText('No study yet.')).toBeVisible()
  await sim.close()
})

test('keeps pages, frames and strangers within their bounds', async ({ page }) => {
  const sim = await launchSim(page)
  await sim.loaded
  expect((await sim.ask({ t: 'navigate', url: 'https://elsewhere.example/' })).stopped).toBe(true)
  expect((await sim.ask({ t: 'navigate', url: `${origin}/index.html` })).stopped).toBe(false)
  expect((await sim.ask({ t: 'open', url: 'file:///etc/passwd' })).r).toEqual({ action: 'deny' })
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
  const inline = await page.evaluate(() => {
    const script = document.createElement('script')
    script.textContent = 'window.__ran = 1'
    document.head.append(script)
    return '__ran' in window
  })
  expect(inline).toBe(false)
  await sim.close()
  expect(sim.violations).toEqual([])
})

test('says in words why a data folder cannot be used', async ({ page }) => {
  const home = join(mkdtempSync(join(tmpdir(), 'recompense-home-')), 'file')
  writeFileSync(home, '')
  const refused = await launchSim(page, { env: { RECOMPENSE_HOME: home } })
  await expect(refused.loaded).rejects.toThrow('main exited 1')
  expect(refused.log).toContainEqual({
    t: 'errorBox',
    title: 'Recompense cannot start',
    content: expect.stringContaining(home),
  })
})

test('opens nothing on a second launch', async ({ page }) => {
  const second = await launchSim(page, { env: { SIM_SECOND_LAUNCH: '1' } })
  await expect(second.loaded).rejects.toThrow('main exited')
  expect(second.log).toContainEqual({ t: 'quit' })
  expect(second.log.map(({ t }) => t)).not.toContain('window')
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
