/** The window itself: its keys, its colours, and a data folder that cannot be used. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

test('keys lead everywhere', async ({ window: page }) => {
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
  await expect(heading('Studies')).toBeVisible()
  for (const [keys, name] of [
    ['gr', 'Runs'],
    ['gd', 'Data'],
    ['gm', 'Models'],
    ['gh', 'Doctor'],
    ['g,', 'Settings'],
    ['gs', 'Studies'],
  ] as const) {
    for (const key of keys) await page.keyboard.press(key)
    await expect(heading(name)).toBeVisible()
  }
  await page.keyboard.press('/')
  await expect(page.getByLabel('Search', { exact: true })).toBeFocused()
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Go to, start, open a study…').fill('doctor')
  await page.keyboard.press('Enter')
  await expect(heading('Doctor')).toBeVisible()
})

test('a store that cannot be used is said in words, and the window stays usable', async ({
  openOn,
  emptyHome,
  host,
}) => {
  test.skip(host === 'serve', 'the command line refuses to serve it')
  writeFileSync(
    join(emptyHome, 'store.sqlite'),
    'not a database, and longer than its header would have to be'.repeat(50),
  )
  const { page } = await openOn(emptyHome)
  await expect(page.getByRole('alert').filter({ hasText: 'damaged' }).first()).toBeVisible()
  await page.getByRole('navigation').getByRole('link', { name: 'Doctor', exact: true }).click()
  await expect(page.getByRole('table', { name: 'Checks' })).toContainText('failed')
})

test('a damaged settings file is kept aside, and the window says so', async ({ openOn, emptyHome }) => {
  writeFileSync(join(emptyHome, 'preferences.json'), '{"theme": "da')
  const { page } = await openOn(emptyHome)
  await page.getByRole('navigation').getByRole('link', { name: 'Settings', exact: true }).click()
  await expect(page.getByText(/is damaged: it was kept as preferences\.json\.damaged-1/)).toBeVisible()
  expect(readFileSync(join(emptyHome, 'preferences.json.damaged-1'), 'utf8')).toBe('{"theme": "da')
})

test('ten thousand rows of one’s own are read, whatever their file is called', async ({ window: page, emptyHome }) => {
  const file = join(emptyHome, `it's "50 %" #1 — 報告 ü.jsonl`)
  const row = (index: number) => JSON.stringify({ id: `№ ${index}`, prompt: `<b>${index}</b>`, completion: '=1+1' })
  const rows = Array.from({ length: 10_000 }, (_, index) => row(index === 9_999 ? 17 : index))
  writeFileSync(file, rows.join('\n'))
  await page.getByRole('navigation').getByRole('link', { name: 'Data', exact: true }).click()
  await page.getByLabel('Kind of rows').selectOption('demonstration')
  await page.getByLabel('File', { exact: true }).fill(file)
  await expect(page.getByText('1 problem in 10,000 rows')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('table', { name: 'Problems' })).toContainText('the id stands already on line 18')
  await expect(page.getByRole('list', { name: 'First rows' })).toContainText('<b>0</b>')
})

const places = (study: string) => [
  '#/studies',
  '#/runs',
  `#/study/${study}`,
  `#/samples/${study}`,
  `#/probes/${study}`,
  `#/reports/${study}`,
  '#/compare',
  '#/data',
  '#/models',
  '#/settings',
  '#/doctor',
  '#/new/data',
  '#/new/ppo',
]

for (const colorScheme of ['light', 'dark'] as const) {
  test(`every screen keeps WCAG AA in ${colorScheme}`, async ({ window: page, home }) => {
    test.setTimeout(120_000)
    await page.emulateMedia({ colorScheme })
    for (const place of places(home.study)) {
      await page.evaluate((hash) => {
        location.hash = hash
      }, place)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByText(/^(Opening|Reading|Generating).*…$/)).toHaveCount(0)
      expect.soft(await violations(page), place).toEqual([])
    }
    await page.evaluate(() => {
      location.hash = '#/new/ppo'
    })
    await page.getByRole('button', { name: 'Next: Settings' }).click()
    await expect(page.getByText('✓ The workbench accepts these settings.')).toBeVisible()
    expect.soft(await violations(page), 'settings of a wizard').toEqual([])
    await page.getByRole('button', { name: 'Next: Check' }).click()
    await expect(page.getByRole('table', { name: 'Populations' })).toBeVisible()
    expect(await violations(page), 'check of a wizard').toEqual([])
  })
}

async function violations(page: Page): Promise<readonly string[]> {
  // The frame holds the report, which has its own specs.
  const { violations: found } = await new AxeBuilder({ page })
    .exclude('iframe')
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'])
    .analyze()
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}
