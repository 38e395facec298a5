/**
 * Every screen in narrow and wide windows, in light and dark: nothing hangs over the edge, nothing breaks WCAG AA. Dark changes
 * colours and no layout, so there only the rules of colour are asked, and of the wide window.
 */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, looks, test } from './fixtures.ts'
import { placesOf } from './places.ts'

const widths = [1280, 800, 480]
const rulesOfColour = ['color-contrast', 'link-in-text-block']
/** What a narrow layout can break: regions that begin to scroll, controls within controls, what is hidden and still focused. */
const rulesOfWidth = ['scrollable-region-focusable', 'nested-interactive', 'aria-hidden-focus']
/** A window of its own for each part: axe leaves much behind in one page. */
const parts = [0, 1, 2, 3]

for (const part of parts) {
  test(
    `every screen keeps within its window and can be read, part ${part + 1}`,
    looks,
    async ({ window: page, home }) => {
      test.setTimeout(300_000)
      const places = (await placesOf(page, home.study)).filter((_, at) => at % parts.length === part)
      for (const place of places) {
        await page.setViewportSize({ width: 1280, height: 900 })
        await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
        await place.open()
        expect.soft(await faults(page, rulesOfColour), `${place.name} in dark`).toEqual([])
        await page.emulateMedia({ colorScheme: 'light' })
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 })
          await expect.poll(() => overhang(page), { message: `${place.name} at ${width}` }).toEqual([])
          // Large windows show most, small ones move things: both ends are looked at.
          if (width !== 800)
            expect
              .soft(await faults(page, width === 1280 ? undefined : rulesOfWidth), `${place.name} at ${width}`)
              .toEqual([])
        }
      }
    },
  )
}

/** What is wider than the window and in no box that scrolls. */
function overhang(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (element: Element): boolean => {
      for (let box = element.parentElement; box !== null && box.tagName !== 'MAIN'; box = box.parentElement)
        if (/auto|scroll|hidden|clip/.test(getComputedStyle(box).overflowX)) return true
      return false
    }
    return [...document.querySelectorAll('main *')]
      .filter((element) => element.getBoundingClientRect().width > 1 && !scrolls(element))
      .filter((element) => element.getBoundingClientRect().right > window.innerWidth + 1)
      .slice(0, 3)
      .map((element) => `${element.tagName.toLowerCase()}.${element.getAttribute('class')}`)
  })
}

/** Axe's whole set, or some rules of it; the frame holds the report, which has its own specs. */
async function faults(page: Page, rules?: string[]): Promise<string[]> {
  const axe = new AxeBuilder({ page }).exclude('iframe')
  const { violations } = await (rules === undefined ? axe : axe.withRules(rules)).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}
