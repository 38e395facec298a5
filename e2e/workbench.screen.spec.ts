/** The window as a researcher uses it: a study made in the wizard, watched, stopped, resumed and reviewed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

const job = (page: Page) => page.getByRole('region', { name: 'Job' })

/** Opens the group a setting is in, and sets it. */
async function setting(page: Page, key: string, value: string) {
  const field = page.locator(`#setting-${key}`)
  const group = page.locator('details', { has: field })
  if (!(await group.evaluate((element) => (element as HTMLDetailsElement).open))) await group.locator('summary').click()
  await field.fill(value)
  await field.blur()
}

/** Small enough for a test, long enough to be stopped in the middle. */
const small = {
  accumulation_examples: '168',
  sft_epochs: '1',
  reward_epochs: '1',
  rollout_iterations: '400',
  max_new_tokens: '24',
}

test('a study is made, watched, stopped, survives a reload, and goes on', async ({ openOn, emptyHome }) => {
  test.setTimeout(360_000)
  const { page } = await openOn(emptyHome)
  await expect(page.getByText('No study yet')).toBeVisible()
  await page.getByRole('button', { name: 'New study' }).first().click()

  await page.getByLabel('Name of the study').fill('first light')
  await expect(page.getByRole('tab', { name: /Pairs \(1,200\)/ })).toBeVisible()
  await page.getByRole('button', { name: 'Next: Settings' }).click()
  for (const [key, value] of Object.entries(small)) await setting(page, key, value)
  const yaml = page.getByRole('textbox', { name: 'The same as YAML' })
  await expect(yaml).toHaveValue(/rollout_iterations: 400\n/)

  await setting(page, 'gamma', '1.5')
  await expect(page.getByText(/✕ .*gamma/).first()).toBeVisible()
  await page.getByRole('button', { name: /Reset Discount/ }).click()
  await expect(page.getByText('✓ The workbench accepts these settings.')).toBeVisible()

  await page.getByRole('button', { name: 'Next: Check' }).click()
  await expect(page.getByRole('table', { name: 'Populations' })).toContainText('840')
  await expect(page.getByText('Learning sees training and validation rows only')).toBeVisible()
  await page.getByRole('button', { name: 'Next: Start' }).click()
  await page.getByRole('button', { name: 'Start', exact: true }).last().click()

  await expect(page.getByRole('heading', { level: 1, name: 'first light' })).toBeVisible()
  await expect(job(page)).toContainText('running')
  await expect(job(page)).toContainText(/PPO.*[1-9]\d* \/ 800/, { timeout: 240_000 })

  await page.reload()
  await expect(job(page)).toContainText('PPO')
  await job(page).getByRole('button', { name: 'Pause' }).click()
  await expect(job(page)).toContainText('paused')
  await job(page).getByRole('button', { name: 'Go on' }).click()
  await expect(job(page)).toContainText('running')

  await job(page).getByRole('button', { name: 'Stop' }).click()
  await expect(page.getByText(/stops after/).first()).toBeVisible()
  await expect(job(page)).toContainText('interrupted', { timeout: 30_000 })
  await expect(page.getByText('Everything up to the last update is kept', { exact: false })).toBeVisible()

  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await expect(job(page)).toContainText(/running.*PPO/, { timeout: 30_000 })
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(job(page)).toContainText('interrupted', { timeout: 30_000 })

  // What was learned so far can be read: each stage's run, and what the policy said.
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  const runs = page.getByRole('table', { name: 'Runs' })
  await expect(runs).toContainText('interrupted')
  await runs.getByRole('link', { name: 'PPO', exact: true }).click()
  await expect(page.locator('[data-chart="learned-reward"] [data-curves] path').first()).toBeVisible()
  await page.getByRole('link', { name: 'Samples', exact: true }).click()
  await expect(
    page.getByRole('region', { name: 'Sampled responses' }).locator('tbody tr[data-id]').first(),
  ).toBeVisible()
})

test('a finished study is reviewed from the list to its limits', async ({ window: page, home }) => {
  await expect(page.getByRole('link', { name: 'office-help' }).first()).toBeVisible()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`#/study/${home.study}$`))
  const stages = page.getByRole('list', { name: 'Stages' }).getByRole('listitem')
  await expect(stages).toHaveCount(6)
  await expect(stages.nth(0)).toContainText('1,200')
  await expect(stages.nth(5)).toContainText('of 20')
  await expect(page.getByText('What may not be concluded')).toBeVisible()
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByText('Everything is as it was recorded.')).toBeVisible()
})

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
