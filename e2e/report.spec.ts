/** A report as its reader opens it: from disk, alone, in light and in dark. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, type Page, test } from '@playwright/test'
import { fixtureDocument } from '../src/main/report/fixture/study-document.ts'
import { writeReport } from '../src/main/report/write-report.ts'

const out = mkdtempSync(join(tmpdir(), 'recompense-report-'))
const written = writeReport(fixtureDocument(), { formats: ['html'], out }).then(({ files }) => String(files[0]))

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in ${colorScheme}`, () => {
    test.use({ colorScheme })

    test('it is self-contained, draws its figures, and reads well', async ({ page }) => {
      const faults: string[] = []
      const requests: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
      })
      page.on('pageerror', (error) => faults.push(String(error)))
      page.on('request', (request) => requests.push(request.url()))

      const address = pathToFileURL(await written).href
      await page.goto(address)

      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      const figures = page.locator('svg')
      expect(await figures.count()).toBeGreaterThan(4)
      for (const figure of await figures.all()) {
        const box = await figure.boundingBox()
        expect(box?.width ?? 0).toBeGreaterThan(100)
        expect(box?.height ?? 0).toBeGreaterThan(40)
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
      expect(await contrast(page)).toBeGreaterThan(7)
      expect(requests).toEqual([address])
      expect(faults).toEqual([])
    })
  })
}

/** WCAG contrast of the body's text on the page. */
async function contrast(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
    const luminance = (color: string): number => {
      if (canvas === null) return Number.NaN
      canvas.fillStyle = color
      canvas.fillRect(0, 0, 1, 1)
      const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data
      const linear = (value: number) => (value <= 10 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4)
      return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
    const paper = (element: Element | null): string => {
      if (element === null) return 'Canvas'
      const color = getComputedStyle(element).backgroundColor
      return color === 'rgba(0, 0, 0, 0)' ? paper(element.parentElement) : color
    }
    const text = luminance(getComputedStyle(document.body).color)
    const ground = luminance(paper(document.body))
    return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05)
  })
}
