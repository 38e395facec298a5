/**
 * Every screen in narrow and wide windows, in light and dark: nothing hangs over the edge, nothing breaks WCAG AA. The widths
 * are walked in light; dark changes colours and no layout, so there it is the wide window that is looked at.
 */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, looks, test } from './fixtures.ts'
import { placesOf } from './places.ts'

const widths = { light: [480, 800, 1280], dark: [1280] }
/** A window of its own for each part: axe leaves much behind in one page. */
const parts = [0, 1, 2, 3]

for (const colorScheme of ['light', 'dark'] as const) {
  for (const part of parts) {
    const title = `every screen keeps within its window and can be read, in ${colorScheme}, part ${part + 1}`
    test(title, looks, async ({ window: page, home }) => {
      test.setTimeout(240_000)
      await page.emulateMedia({ colorScheme })
      const places = (await placesOf(page, home.study)).filter((_, at) => at % parts.length === part)
      for (const place of places) {
        await page.setViewportSize({ width: 1280, height: 900 })
        await place.open()
        for (const width of widths[colorScheme]) {
          await page.setViewportSize({ width, height: 900 })
          await expect.poll(() => overhang(page), { message: `${place.name} at ${width}` }).toEqual([])
          // Small windows move things, large ones show most: both ends are looked at.
          if (width !== 800) expect.soft(await faults(page), `${place.name} at ${width}`).toEqual([])
        }
      }
    })
  }
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

/** Axe's whole set; the frame holds the report, which has its own specs. */
async function faults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).exclude('iframe').analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}
