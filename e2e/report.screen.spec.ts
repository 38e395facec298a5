/** The report as it is composed: captions, widths, paper in both themes, and the way to it from every chart and table. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, looks, test } from './fixtures.ts'
import { goTo, placesOf } from './places.ts'

const preview = (page: Page) => page.frameLocator('iframe[title="Preview of the report"]')
const outline = (page: Page) => page.getByRole('region', { name: 'Sections' })

/** Millimetres of a CSS length on the page. */
const millimetres = (pixels: number) => (pixels * 25.4) / 96

test('captions and the width of figures are chosen, shown as they print, kept, and written', async ({
  window: page,
  home,
}) => {
  await goTo(page, `#/reports/${home.study}`)
  await outline(page).getByRole('button', { name: 'Show PPO, captions' }).click()
  await outline(page)
    .getByRole('button', { name: /^figure Learned reward$/ })
    .click()
  await expect(page).toHaveURL(/at=figure-ppo-reward/)
  const figure = preview(page).locator('#figure-ppo-reward')
  await expect(figure).toBeInViewport()

  const caption = outline(page).getByRole('textbox', { name: 'Caption' })
  await caption.fill('Reward & rubric <part> at 50%: $x_1$')
  await expect(figure.locator('figcaption')).toContainText('Reward & rubric <part> at 50%: $x_1$')
  await expect(outline(page).getByText('own caption')).toBeVisible()
  await expect(figure).toBeInViewport()

  const chart = figure.locator('svg.chart')
  for (const [preset, wide] of [
    ['single', 85],
    ['double', 175],
  ] as const) {
    await page.getByLabel('Figures', { exact: true }).selectOption(preset)
    await expect
      .poll(async () => millimetres((await chart.boundingBox())?.width ?? 0), { timeout: 10_000 })
      .toBeCloseTo(wide, 0)
  }
  await page.getByLabel('Figures', { exact: true }).selectOption('single')
  await expect.poll(async () => millimetres((await chart.boundingBox())?.width ?? 0)).toBeCloseTo(85, 0)

  // Kept with the study, not with the window.
  const kept = join(home.dir, 'studies', home.study, 'report-choice.json')
  await expect.poll(() => existsSync(kept) && readFileSync(kept, 'utf8')).toContain('"figure_width": "single"')
  await page.reload()
  await expect(caption).toHaveValue('Reward & rubric <part> at 50%: $x_1$')
  await expect(page.getByLabel('Figures', { exact: true })).toHaveValue('single')

  for (const format of [/^PDF/, /^LaTeX/]) await page.getByRole('checkbox', { name: format }).click()
  await page.getByRole('button', { name: 'Write the report' }).click()
  await expect(page.getByText(/^\d+ files written/)).toBeVisible({ timeout: 30_000 })
  const report = join(home.dir, 'studies', home.study, 'report')
  const tex = readFileSync(join(report, 'report-latex.tex'), 'utf8')
  expect(tex).toContain('Reward \\& rubric \\textless{}part\\textgreater{} at 50\\%: \\$x\\_1\\$')
  expect(tex).toContain('\\begin{minipage}[t]{85mm}')
  expect(existsSync(join(report, 'figures', 'figure-ppo-reward-85mm.pdf'))).toBe(true)
  expect(existsSync(join(report, 'figures', 'figure-ppo-reward-175mm.pdf'))).toBe(false)

  await outline(page).getByRole('button', { name: 'The report’s own' }).click()
  await expect(figure.locator('figcaption')).toContainText('Predicted simulated preference')
})

test('a section that is left out says so where it is asked for', async ({ window: page, home }) => {
  await goTo(page, `#/reports/${home.study}`)
  await page.getByRole('checkbox', { name: 'Politeness probes' }).click()
  await goTo(page, `#/reports/${home.study}?at=figure-probes-delta`)
  await expect(page.getByText('Politeness probes is left out.')).toBeVisible()
  await expect(preview(page).locator('#probes')).toHaveCount(0)
  await page.getByRole('button', { name: 'Put it in' }).click()
  await expect(preview(page).locator('#figure-probes-delta')).toBeInViewport()
  await expect(page.getByRole('checkbox', { name: 'Politeness probes' })).toBeChecked()
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the preview is paper, also in ${colorScheme}`, async ({ window: page, home }) => {
    await page.emulateMedia({ colorScheme })
    await goTo(page, `#/reports/${home.study}`)
    await expect(preview(page).getByRole('heading', { level: 1 })).toBeVisible()
    const colours = await preview(page)
      .locator('body')
      .evaluate((body) => {
        const style = getComputedStyle(body)
        const curve = body.querySelector('.chart .mark.role-reward') ?? body
        return [style.backgroundColor, style.color, getComputedStyle(curve).fill]
      })
    expect(colours).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)', 'rgb(180, 83, 9)'])
    // Raw data that is not printed is not shown either.
    await expect(preview(page).locator('details').first()).toBeHidden()
    const around = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect(around).toBe(colorScheme === 'dark' ? 'rgb(20, 23, 27)' : 'rgb(255, 255, 255)')
  })
}

const entries = ['Copy data', 'CSV', 'SVG', 'PDF', 'LaTeX table', 'Open in report']

/** Tables and charts in view that have no menu of their own: the last one before a table, no other table's or chart's. */
function withoutMenu(): string[] {
  const wanted = 'main table, main [data-chart]'
  const menu = 'button[aria-label^="Take away:"]'
  const all = [...document.querySelectorAll(`${wanted}, main ${menu}`)].filter((element) => element.checkVisibility())
  let free: Element | null = null
  return all.flatMap((element) => {
    if (element.matches(menu)) {
      if (element.closest('[data-chart]') === null) free = element
      return []
    }
    // The card of one token says what its chart's menu holds; a chart's menu stands inside it.
    if (element.closest('aside') !== null) return []
    const own = element.matches('[data-chart]') ? element.querySelector(menu) : free
    if (!element.matches('[data-chart]')) free = null
    return own === null ? [element.getAttribute('aria-label') ?? element.textContent?.slice(0, 60) ?? ''] : []
  })
}

test('every chart and table has the same corner menu', looks, async ({ window: page, home }) => {
  test.setTimeout(240_000)
  let menus = 0
  for (const place of await placesOf(page, home.study)) {
    await place.open()
    expect.soft(await page.evaluate(withoutMenu), place.name).toEqual([])
    for (const button of await page.getByRole('button', { name: /^Take away: / }).all()) {
      await button.click()
      const items = page.getByRole('menu').last().getByRole('menuitem')
      await expect(items.last()).toBeVisible()
      const names = (await items.allInnerTexts()).map((text) => text.split('\n')[0])
      expect
        .soft(
          names.filter((name) => !/the numbers$/.test(name ?? '')),
          place.name,
        )
        .toEqual(entries)
      menus += 1
      await page.keyboard.press('Escape')
      await expect(page.getByRole('menu')).toHaveCount(0)
    }
  }
  expect(menus).toBeGreaterThan(40)
})

test('a table is taken away as a drawing', async ({ window: page }) => {
  await goTo(page, '#/runs')
  for (const [item, starts] of [
    ['SVG', '<?xml version="1.0"'],
    ['PDF', '%PDF-1.7'],
  ] as const) {
    await page.getByRole('button', { name: 'Take away: Runs' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: item, exact: true }).click(),
    ])
    const content = readFileSync(await download.path(), 'latin1')
    expect(content.slice(0, starts.length)).toBe(starts)
    if (item === 'SVG') {
      expect(content).toContain('>Reward model<')
      expect(content).not.toMatch(/var\(|class=/)
      expect(Number(/ width="([\d.]+)mm"/.exec(content)?.[1])).toBeLessThanOrEqual(175)
    }
  }
})

test('“Open in report” lands on the figure, and marks its section', async ({ window: page, home }) => {
  for (const [from, menu, at, section] of [
    [
      `#/probes/${home.study}`,
      'What politeness adds to the learned reward',
      'figure-probes-delta',
      'Politeness probes',
    ],
    [`#/study/${home.study}`, 'Rubric success of the same rollouts', 'figure-ppo-rubric', 'PPO'],
    [`#/samples/${home.study}`, 'Sampled responses', 'ppo', 'PPO'],
  ] as const) {
    await goTo(page, from)
    await page.getByRole('button', { name: `Take away: ${menu}` }).click()
    await page.getByRole('menuitem', { name: 'Open in report' }).click()
    await expect(page).toHaveURL(new RegExp(`#/reports/${home.study}\\?at=${at}$`))
    await expect(preview(page).locator(`#${at}`)).toBeInViewport()
    const open = outline(page).locator('li[aria-current="true"]')
    await expect(open).toHaveCount(1)
    await expect(open.getByRole('checkbox')).toHaveAccessibleName(section)
  }
})
