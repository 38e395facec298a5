/**
 * One real study from the wizard to the paper: made, watched, paused, stopped, killed, resumed to its end, reviewed,
 * compared, exported and found again after a restart. The engine computes; the folder and the names are as odd as they get.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import Database from 'better-sqlite3'
import { expect, test } from './fixtures.ts'
import type { Opened } from './hosts/opened.ts'

const oddFolder = `it's "50 %" #1 — 報告 ü`
/** Text that would do something wherever it were taken for more than text. */
const oddName = `=1+1 <img src=x onerror=alert(1)> \\input{x} 報告`

/** Small enough for a test, long enough in PPO to be paused, stopped and killed there. */
const small = {
  accumulation_examples: '168',
  sft_epochs: '1',
  reward_epochs: '1',
  rollout_iterations: '60',
  max_new_tokens: '24',
}

const job = (page: Page) => page.getByRole('region', { name: 'Job' })
const runLog = (page: Page) => page.getByRole('table', { name: 'Log of the run' })

test('a study is made, watched, interrupted, finished, reviewed, compared and exported', async ({
  openOn,
  emptyHome,
  faults,
}) => {
  test.setTimeout(600_000)
  const home = join(emptyHome, oddFolder)
  mkdirSync(home)
  const opened = await openOn(home)
  const { page } = opened
  page.on('dialog', (dialog) => faults.push(`dialog: ${dialog.message()}`))

  await test.step('made in the wizard', () => make(page))
  await test.step('watched while it learns, and paused', () => watch(page, opened.another))
  await test.step('stopped, resumed, killed, and resumed to its end', () => interrupt(page, home))
  await test.step('reviewed', () => review(page))
  await test.step('compared', () => compare(page))
  await test.step('exported', () => exportAll(page, join(emptyHome, `paper ${oddFolder}`)))
  await opened.close()

  const { page: again } = await openOn(home)
  await expect(again.getByRole('link', { name: oddName })).toBeVisible()
  await again.keyboard.press('j')
  await again.keyboard.press('Enter')
  await expect(again).toHaveURL(/#\/study\/study-/)
  await openRun(again)
  await again.getByRole('tab', { name: 'Log' }).click()
  await expect(runLog(again)).toContainText('asked')
  await expect(runLog(again)).toContainText('killed (SIGKILL)')
  await expect(runLog(again).getByRole('row').first()).toContainText('finished: 120 of 120 updates')
  expect(faults).toEqual([])
})

async function make(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New study' }).first().click()
  await page.getByLabel('Name of the study').fill(oddName)
  await expect(page.getByRole('tab', { name: /Pairs \(1,200\)/ })).toBeVisible()
  await page.getByRole('button', { name: 'Next: Settings' }).click()
  for (const [key, value] of Object.entries(small)) await setting(page, key, value)
  const yaml = page.getByRole('textbox', { name: 'The same as YAML' })
  await expect(yaml).toHaveValue(/rollout_iterations: 60\n/)

  await setting(page, 'gamma', '1.5')
  await expect(page.getByText(/✕ .*gamma/).first()).toBeVisible()
  await page.getByRole('button', { name: /Reset Discount/ }).click()
  await expect(page.getByText('✓ The workbench accepts these settings.')).toBeVisible()

  await page.getByRole('button', { name: 'Next: Check' }).click()
  await expect(page.getByRole('table', { name: 'Populations' })).toContainText('840')
  await expect(page.getByText('Learning sees training and validation rows only')).toBeVisible()
  await page.getByRole('button', { name: 'Next: Start' }).click()
  await page.getByRole('button', { name: 'Start', exact: true }).last().click()
  await expect(page.getByRole('heading', { level: 1, name: oddName })).toBeVisible()
}

/** Where the host has several windows, another one lets it go on. */
async function watch(page: Page, another: Opened['another']): Promise<void> {
  await expect(job(page)).toContainText('running')
  await expect(job(page)).toContainText(/PPO.*[1-9]\d* \/ 120/, { timeout: 300_000 })
  await openRun(page)
  const reward = page.locator('[data-chart="learned-reward"] [data-curves] path').first()
  await expect(reward).toBeVisible()
  const drawn = await reward.getAttribute('d')
  await expect(reward).not.toHaveAttribute('d', drawn ?? '')

  await job(page).getByRole('button', { name: 'Pause' }).click()
  await expect(job(page)).toContainText('paused')
  await page.reload()
  await expect(job(page)).toContainText('paused')
  await expect(page.locator('[data-chart="memory"] [data-curves] path').first()).toBeVisible()
  await page.getByRole('tab', { name: 'Log' }).click()
  await expect(runLog(page).getByRole('row', { name: /state paused$/ })).toBeVisible()
  await expect(runLog(page).getByRole('row', { name: /computes on cpu/ })).toBeVisible()
  const other = (await another?.()) ?? page
  await job(other).getByRole('button', { name: 'Go on' }).click()
  if (other !== page) await other.close()
  await expect(job(page)).toContainText('running')
  await expect(runLog(page).getByRole('row', { name: /state goes on$/ })).toBeVisible()
}

async function interrupt(page: Page, home: string): Promise<void> {
  await job(page).getByRole('button', { name: 'Stop' }).click()
  await expect(page.getByText(/stops after/).first()).toBeVisible()
  await expect(job(page)).toContainText('interrupted', { timeout: 30_000 })
  await page.getByRole('link', { name: 'Its study' }).click()
  await expect(page.getByText('Everything up to the last update is kept', { exact: false })).toBeVisible()
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await expect(job(page)).toContainText(/running.*PPO/, { timeout: 30_000 })

  process.kill(await stageProcess(home), 'SIGKILL')
  await expect(job(page)).toContainText(/interrupted.*killed/)
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await expect(job(page)).toContainText('finished', { timeout: 300_000 })
}

async function review(page: Page): Promise<void> {
  const stages = page.getByRole('list', { name: 'Stages' }).getByRole('listitem')
  await expect(stages).toHaveCount(6)
  await expect(stages.nth(0)).toContainText('1,200')
  await expect(stages.nth(5)).toContainText('of 20')
  for (const stage of await stages.all()) await expect(stage).toContainText('finished')
  await expect(page.getByText('What may not be concluded')).toBeVisible()
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByText('Everything is as it was recorded.')).toBeVisible()
  await page.keyboard.press('Escape')

  await page.getByRole('link', { name: 'Samples', exact: true }).click()
  await expect(page.getByRole('status').filter({ hasText: '240 of 240 responses' })).toBeVisible()
  const failed = page.getByRole('button', { name: /, rubric failed: \d+ of 240/ })
  await expect(failed).toHaveCount(2)
  await page.getByText('Held out: SFT beside PPO').click()
  await expect(page.getByText(/^180 of 180 held-out requests/)).toBeVisible()
  await page.keyboard.press('j')
  await expect(page.getByRole('region', { name: 'Both responses' })).toContainText('PPO')

  await page.getByText('Sampled while learning').click()
  await page.getByRole('region', { name: 'Sampled responses' }).locator('tbody tr[data-id]').first().click()
  await page.keyboard.press('Enter')
  await page.locator('[data-place="0 0"]').focus()
  const card = page.getByRole('complementary', { name: 'Numbers of a token' })
  for (const name of ['log-prob at sampling', 'reference log-prob', 'value before it', 'advantage', 'return', 'ratio'])
    await expect(card.getByRole('row', { name: new RegExp(`^${name}`) }).first()).toContainText(/\d/)
  await expect(page.getByText('Σ token rewards')).toBeVisible()

  await page.getByRole('link', { name: 'Probes', exact: true }).click()
  const contexts = page.locator('[data-chart="politeness"]').getByRole('button', { name: /right advice/ })
  await expect(contexts).toHaveCount(20)
  await expect(page.getByText(/\d+ of 20/).first()).toBeVisible()
  await expect(page.getByText(/The count is no rate of bad answers/)).toBeVisible()
  await contexts.first().focus()
  await page.keyboard.press('Enter')
  const square = page.getByRole('region', { name: /^Context / })
  await expect(square.getByText('politeness adds', { exact: true }).first()).toBeVisible()
  await expect(square.getByText('●')).toHaveCount(4)
}

async function compare(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Compare', exact: true }).click()
  for (const name of [/SFT/, /PPO/]) {
    await page.getByRole('combobox', { name: 'Add a run' }).click()
    await page.getByRole('option', { name }).first().click()
    await expect(page.getByRole('list', { name: 'Runs under comparison' }).getByText(name).first()).toBeVisible()
  }
  await expect(page.getByRole('row', { name: /^stage/ })).toContainText('ppo')
  await page.getByRole('switch', { name: 'every measure' }).click()
  await expect(page.locator('[data-chart="compare-memory"] [data-series]')).toHaveCount(2)
  await page.getByRole('button', { name: 'Make baseline' }).click()
  await expect(page.getByText(/^Baseline B;/)).toBeVisible()
  await page.getByRole('textbox', { name: 'At update' }).fill('2')
  await expect(page.getByRole('columnheader', { name: 'at update 2' })).toBeVisible()
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([])
}

async function exportAll(page: Page, folder: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Report', exact: true }).click()
  await expect(
    page.frameLocator('iframe[title="Preview of the report"]').getByRole('heading', { level: 1 }),
  ).toBeVisible()
  for (const format of ['HTML', 'PDF', 'LaTeX', 'SVG', 'CSV', 'JSON'])
    await check(page.getByRole('checkbox', { name: new RegExp(`^${format}\\b`) }))
  await page.getByRole('textbox', { name: 'Folder' }).fill(folder)
  await page.getByRole('button', { name: 'Write the report' }).click()
  await expect(page.getByText(/^\d+ files written/)).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText('report.html', { exact: true })).toBeVisible()

  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const read = (name: string) => readFileSync(join(folder, name), 'latin1')
  const all = (ending: string) => files.filter((name) => name.endsWith(ending)).map(read)
  const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as { name: string; status: string }
  expect(report).toMatchObject({ name: oddName, status: 'finished' })
  expect(read('report.html')).toContain('=1+1 &lt;img src=x onerror')
  expect(read('report.html')).not.toMatch(/<img|<script/)
  expect(read('report.pdf')).toMatch(/^%PDF-1\.7[\s\S]*\/FontFile2[\s\S]*%%EOF\s*$/)
  const [tex = ''] = all('.tex')
  expect(tex).toContain('\\begin{document}')
  expect(tex).not.toContain('\\input')
  expect(all('.svg').length).toBeGreaterThan(10)
  for (const svg of all('.svg')) expect(svg).toMatch(/^<\?xml[\s\S]*<(path|line)[\s\S]*<\/svg>\s*$/)
  expect(all('.csv').length).toBeGreaterThan(30)
  for (const csv of all('.csv')) expect(csv).not.toMatch(/(^|[,\n])"?[=@]/)
}

async function check(box: Locator): Promise<void> {
  if (!(await box.isChecked())) await box.click()
  await expect(box).toBeChecked()
}

/** Opens the group a setting is in, and sets it. */
async function setting(page: Page, key: string, value: string): Promise<void> {
  const field = page.locator(`#setting-${key}`)
  const group = page.locator('details', { has: field })
  if (!(await group.evaluate((element) => (element as HTMLDetailsElement).open))) await group.locator('summary').click()
  await field.fill(value)
  await field.blur()
}

async function openRun(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Runs', exact: true }).click()
  await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'PPO', exact: true }).click()
  await expect(page.getByRole('tab', { name: 'Curves' })).toBeVisible()
}

/** The process that computes, as the store names it. */
async function stageProcess(home: string): Promise<number> {
  const store = new Database(join(home, 'store.sqlite'), { readonly: true })
  const owner = () => store.prepare('SELECT stage_process FROM runs WHERE stage_process IS NOT NULL').pluck().get()
  await expect.poll(owner).toEqual(expect.any(String))
  const [pid] = JSON.parse(owner() as string) as [number]
  store.close()
  return pid
}
