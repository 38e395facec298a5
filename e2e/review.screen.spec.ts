/** The screens that review a study: runs, samples, tokens, probes, comparison and report, as a researcher uses them. */
import { readFileSync } from 'node:fs'
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { type LongRun, longRunBridge } from './long-run.ts'

/** Addresses are the window's own state, whatever the host. */
async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    window.location.hash = to
  }, hash)
}

async function openRun(page: Page, name: RegExp): Promise<void> {
  await goTo(page, '#/runs')
  await page.getByRole('link', { name }).first().click()
  await expect(page.getByRole('tab', { name: 'Curves' })).toBeVisible()
}

async function seriousFaults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).exclude('iframe').analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

test('a run shows its health, its curves read at one step, and what can be taken away', async ({ window: page }) => {
  await openRun(page, /^PPO$/)
  await page.getByRole('tab', { name: 'Curves' }).click()
  const health = page.getByRole('list', { name: 'Health of the run' })
  await expect(health.getByText('Ratio in range')).toBeVisible()
  await expect(health.getByText('Non-finite')).toBeVisible()

  const reward = page.locator('[data-chart="learned-reward"]')
  const rubric = page.locator('[data-chart="rubric"]')
  await expect(reward.locator('[data-curves] path').first()).toBeVisible()
  // One cursor for all charts, moved by keys.
  await reward.getByRole('slider').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect(reward.getByText(/^at update \d+$/)).toBeVisible()
  await expect(rubric.getByText(/^at update \d+$/)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(rubric.getByText(/^at update \d+$/)).toHaveCount(0)

  const menu = reward.getByRole('button', { name: 'Take away: Learned reward' })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Show the numbers' }).click()
  await expect(reward.getByRole('table')).toContainText('learned reward')
  for (const [item, name, starts] of [
    ['CSV', 'learned-reward.csv', 'series,update,score'],
    ['SVG', 'learned-reward.svg', '<?xml version="1.0"'],
    ['PDF', 'learned-reward.pdf', '%PDF-1.7'],
    ['LaTeX table', 'learned-reward.tex', '% needs'],
  ] as const) {
    await menu.click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: item, exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe(name)
    const content = readFileSync(await download.path(), 'latin1')
    expect(content.slice(0, starts.length)).toBe(starts)
    expect(content.length).toBeGreaterThan(400)
    if (item === 'SVG') expect(content).not.toMatch(/var\(|class=/)
  }
})

test('a run keeps its tab over a reload, and tells settings, origin and log', async ({ window: page }) => {
  await openRun(page, /^PPO$/)
  await page.getByRole('tab', { name: 'Provenance' }).click()
  await expect(page.getByRole('row', { name: /base model/ })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('tab', { name: 'Provenance' })).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('tab', { name: 'Config' }).click()
  await expect(page.getByRole('row', { name: /kl_coefficient/ })).toBeVisible()
  await page.getByRole('tab', { name: 'Log' }).click()
  await expect(page.getByRole('table', { name: 'Log of the run' })).toContainText(/finished: 200 of 200 updates/)
  expect(await seriousFaults(page)).toEqual([])
})

test('a quadrant lists exactly its responses, and keys move through them', async ({ window: page, home }) => {
  await goTo(page, `#/samples/${home.study}`)
  const quadrant = page.getByRole('button', { name: /^high reward, rubric failed: \d+ of/ })
  const words = (await quadrant.locator('title').textContent()) ?? ''
  const expected = Number(/: (\d+) of/.exec(words)?.[1])
  await quadrant.click()
  await expect(page.getByRole('status').filter({ hasText: 'responses' })).toHaveText(
    new RegExp(`^${expected} of \\d+ responses$`),
  )
  const table = page.getByRole('region', { name: 'Sampled responses' })
  await expect(table.locator('tbody tr[data-id]').first()).toBeVisible()
  await expect(table.locator('tbody').getByText('✓ passed')).toHaveCount(0)

  await quadrant.click()
  await table.focus()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await expect(table.locator('tr[aria-selected="true"]')).toHaveAttribute('aria-rowindex', '2')
  await expect(page.getByRole('region', { name: 'Chosen response' })).toContainText('learned reward')
  await page.keyboard.press('/')
  await page.keyboard.type('zzz nothing says this')
  await expect(page.getByText('No response matches the filter.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Filter responses' }).fill('')

  await page.getByText('Held out: SFT beside PPO').click()
  await expect(page.getByText(/\d+ of \d+ held-out requests/)).toBeVisible()
  await page.keyboard.press('j')
  const both = page.getByRole('region', { name: 'Both responses' })
  await expect(both).toContainText('SFT')
  await expect(both).toContainText('PPO')
  expect(await seriousFaults(page)).toEqual([])
})

test('every token shows its numbers, and the reward adds up', async ({ window: page, home }) => {
  await goTo(page, `#/samples/${home.study}`)
  const table = page.getByRole('region', { name: 'Sampled responses' })
  await table.locator('tbody tr[data-id]').first().click()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Token lattice' })).toBeVisible()
  const card = page.getByRole('complementary', { name: 'Numbers of a token' })
  const first = page.locator('[data-place="0 0"]')
  await first.focus()
  await expect(card).toContainText('response token 0,')
  await page.keyboard.press('ArrowRight')
  await expect(card).toContainText('response token 1,')
  for (const name of ['log-prob at sampling', 'reference log-prob', 'value before it', 'advantage', 'return', 'ratio'])
    await expect(card.getByRole('row', { name: new RegExp(`^${name}`) }).first()).toBeVisible()
  await expect(page.getByText('Σ token rewards')).toBeVisible()

  await page.getByLabel('Colour by').selectOption('ratio')
  await expect(page.getByText(/no colour at 1, blue below, red above/)).toBeVisible()
  await page.getByLabel('Set beside it').selectOption({ index: 1 })
  await expect(page.locator('[data-place="1 0"]')).toBeVisible()
  await page.getByRole('switch', { name: /show the prompt, \d+ masked tokens/ }).click()
  await expect(page.getByTitle('prompt: masked, not trained on').first()).toBeVisible()
  expect(await seriousFaults(page)).toEqual([])
})

test('a report is composed, previewed without scripts, and written', async ({ window: page, home }) => {
  await goTo(page, `#/reports/${home.study}`)
  const frame = page.getByTitle('Preview of the report')
  await expect(frame).toHaveAttribute('sandbox', 'allow-same-origin')
  const preview = page.frameLocator('iframe[title="Preview of the report"]')
  await expect(preview.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByRole('checkbox', { name: /Provenance/ })).toBeDisabled()
  await page.getByRole('checkbox', { name: 'Politeness probes' }).click()
  await expect(preview.getByRole('heading', { name: /Politeness probes/ })).toHaveCount(0)
  await page.getByRole('checkbox', { name: /^PDF/ }).click()
  await page.getByRole('button', { name: 'Write the report' }).click()
  await expect(page.getByText(/^1 file written/)).toBeVisible()
  await expect(page.getByText('report.html')).toBeVisible()
  expect(await seriousFaults(page)).toEqual([])
})

/** What a run of 200,000 updates takes; said with the results, never judged. */
test('200,000 updates are drawn honestly, and the run is followed while it grows', async ({
  context,
  openOn,
  host,
  emptyHome,
}, info) => {
  test.skip(host !== 'serve', 'the page’s own workbench replaces the socket, not the bridge of a window')
  await context.addInitScript(longRunBridge, 200_000)
  const { page } = await openOn(emptyHome)
  await goTo(page, '#/run/run-long')
  const loss = page.locator('[data-chart="loss"]')
  await expect(loss.locator('[data-curves] path').first()).toBeVisible()
  await expect(page.locator('[data-chart="learning-rate"] [data-curves]')).toBeAttached()
  const drawn = await timeToDraw(page)
  info.annotations.push({ type: 'three charts of 200,000 updates', description: `${Math.round(drawn)} ms` })
  process.stdout.write(`    three charts of 200,000 updates: ${Math.round(drawn)} ms from opening to paint\n`)

  // 9 of every 1,000 are NaN, and 4 of all are infinite.
  await expect(loss.getByText(/^1,804 non-finite, left out$/)).toBeVisible()
  await expect(loss.getByText(/^decimated 198,196 → [\d,]+, extremes kept$/)).toBeVisible()
  await expect(loss.getByText('thin: each value · bold: mean of 101')).toBeVisible()
  // The one spike sets the axis; every stretch between gaps begins anew.
  await expect(loss.locator('.chart-plot').getByText('50', { exact: true })).toBeVisible()
  expect((await loss.locator('[data-raw]').getAttribute('d'))?.split('M').length).toBeGreaterThan(150)
  // A constant is one flat line; a lone point is seen.
  const flat = await page.locator('[data-chart="grad-norm"] [data-bold]').getAttribute('d')
  expect(new Set([...(flat ?? '').matchAll(/ ([\d.]+)/g)].map((match) => match[1])).size).toBe(1)
  await expect(page.locator('[data-chart="learning-rate"] [data-lone]')).toHaveCount(1)
  await expect(page.getByText('✕ bad')).toBeVisible()

  await expect(page.getByText('200,000 of 400,000')).toBeVisible()
  await expect(page.getByRole('main').getByText(/1 m 30 s left/)).toBeVisible()
  await page.evaluate(() => (window as unknown as { longRun: LongRun }).longRun.grow(1000))
  await expect(page.getByText('201,000 of 400,000')).toBeVisible()
})

test('5,000 responses are listed, filtered and walked through without delay', async ({
  context,
  openOn,
  host,
  emptyHome,
}) => {
  test.skip(host !== 'serve', 'the page’s own workbench replaces the socket, not the bridge of a window')
  await context.addInitScript(longRunBridge, 10)
  const { page } = await openOn(emptyHome)
  await goTo(page, '#/samples/study-long')
  await expect(page.getByRole('status').filter({ hasText: '5,000 of 5,000 responses' })).toBeVisible()
  const table = page.getByRole('region', { name: 'Sampled responses' })
  expect(await table.locator('tbody tr[data-id]').count()).toBeLessThan(60)
  await table.focus()
  const walked = await page.evaluate(async () => {
    const from = performance.now()
    for (let step = 0; step < 50; step++) {
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 'j' }))
      await new Promise(requestAnimationFrame)
    }
    return performance.now() - from
  })
  process.stdout.write(`    50 steps down 5,000 rows: ${Math.round(walked / 50)} ms each\n`)
  await expect(table.locator('tr[aria-selected="true"]')).toHaveAttribute('data-id', 'rollout-49')
  await page.getByRole('textbox', { name: 'Filter responses' }).fill('desk 4321')
  await expect(page.getByRole('status').filter({ hasText: '1 of 5,000 responses' })).toBeVisible()
})

/** Milliseconds from opening the run, known to the window already, to the first frame after the charts. */
async function timeToDraw(page: Page): Promise<number> {
  await goTo(page, '#/settings')
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const from = performance.now()
        const look = () => {
          const charts = document.querySelectorAll('[data-chart] [data-series]')
          if (charts.length > 3) requestAnimationFrame(() => resolve(performance.now() - from))
          else requestAnimationFrame(look)
        }
        window.location.hash = '#/run/run-long'
        look()
      }),
  )
}
