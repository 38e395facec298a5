/** Every place of the window with a finished study in it: how to get there, and when it is there. */
import { expect, type Page } from '@playwright/test'

/** Addresses are the window's own state, whatever the host. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    window.location.hash = to
  }, hash)
}

export interface Place {
  readonly name: string
  readonly open: () => Promise<void>
}

const busy = /^(Opening|Reading|Generating|Checking|Writing the preview).*…$/

export async function placesOf(page: Page, study: string): Promise<readonly Place[]> {
  await goTo(page, '#/runs')
  const table = page.getByRole('table', { name: 'Runs' })
  const link = async (name: string) => {
    const href = await table.getByRole('link', { name, exact: true }).first().getAttribute('href')
    return href ?? ''
  }
  const [sft, reward, ppo] = [await link('SFT'), await link('Reward model'), await link('PPO')]
  const id = (href: string) => href.replace('#/run/', '')
  const place = (name: string, hash: string, act?: () => Promise<unknown>): Place => ({
    name,
    open: async () => {
      // By way of a screen that keeps nothing, so that each place begins anew.
      await goTo(page, '#/settings')
      await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
      await goTo(page, hash)
      if (hash !== '#/settings') {
        await expect(page.getByRole('heading', { level: 1, name: 'Settings', exact: true })).toHaveCount(0)
      }
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByRole('main').getByText(busy)).toHaveCount(0)
      await act?.()
    },
  })
  const tab = (name: string) => () => page.getByRole('tab', { name, exact: true }).click()
  const which = (words: string) => () => page.getByText(words, { exact: true }).click()
  const settings = async () => {
    await page.getByRole('button', { name: 'Next: Settings' }).click()
    await expect(page.getByText('✓ The workbench accepts these settings.')).toBeVisible()
  }
  const check = async () => {
    await settings()
    await page.getByRole('button', { name: 'Next: Check' }).click()
    await expect(page.getByRole('table', { name: 'Populations' })).toBeVisible()
  }
  return [
    place('studies', '#/studies'),
    place('runs', '#/runs'),
    place('study', `#/study/${study}`),
    place('SFT run', sft, tab('Curves')),
    place('reward run', reward, tab('Curves')),
    ...['Curves', 'Samples', 'Lattice', 'Config', 'Provenance', 'Log'].map((name) =>
      place(`PPO run, ${name}`, ppo, tab(name)),
    ),
    place('samples', `#/samples/${study}`, which('Sampled while learning')),
    place('held-out samples', `#/samples/${study}`, which('Held out: SFT beside PPO')),
    place('lattice', `#/samples/${study}`, async () => {
      await page.getByText('Sampled while learning', { exact: true }).click()
      await page.getByRole('region', { name: 'Sampled responses' }).locator('tbody tr[data-id]').first().click()
      await page.keyboard.press('Enter')
      await expect(page.getByRole('heading', { name: 'Token lattice' })).toBeVisible()
    }),
    place('probes', `#/probes/${study}`, async () => {
      await page
        .locator('[data-chart="politeness"]')
        .getByRole('button', { name: /right advice/ })
        .nth(3)
        .focus()
      await page.keyboard.press('Enter')
      await expect(page.getByRole('region', { name: /^Context / })).toBeVisible()
    }),
    place('compare', `#/compare?runs=${id(sft)},${id(reward)}`),
    place('compare, nothing chosen', '#/compare'),
    ...['shares', 'tokens', 'methods', 'process', 'diagnostics', 'datc', 'desk'].map((name) =>
      place(`credit, ${name}`, `#/credit?tab=${name}`),
    ),
    place('report', `#/reports/${study}`),
    place('report, a figure', `#/reports/${study}?at=figure-ppo-reward`),
    place('data', '#/data'),
    place('models', '#/models'),
    place('settings', '#/settings'),
    place('doctor', '#/doctor'),
    ...['data', 'sft', 'reward', 'ppo', 'group', 'dpo', 'probes', 'report'].map((name) =>
      place(`wizard, ${name}`, `#/new/${name}`),
    ),
    place('wizard, settings', '#/new/data', settings),
    place('wizard, check', '#/new/data', check),
  ]
}
