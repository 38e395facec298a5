/** The window itself: its keys, and what it says of data folders, settings and rows that are not as they should be. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
