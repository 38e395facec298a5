/** The same fixtures over a study that was really learned, with updates that were audited on the way. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { test as base, type Home } from './fixtures.ts'

export { expect, looks } from './fixtures.ts'

export const test = base.extend<object, { readonly demo: Home }>({
  demo: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names from the pattern
    async ({}, use) => {
      const dir = join(mkdtempSync(join(tmpdir(), 'recompense-learned-')), 'home')
      const script = join(import.meta.dirname, '..', 'scripts', 'demo-home.ts')
      execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', script, dir], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await use({ dir, study: readdirSync(join(dir, 'studies'))[0] ?? '' })
      rmSync(dir, { recursive: true, force: true })
    },
    { scope: 'worker', timeout: 300_000 },
  ],
})

/** What WCAG A and AA find wrong, by rule and place; in dark only colours can differ. */
export async function violations(page: Page, colorScheme: 'light' | 'dark' = 'light'): Promise<readonly string[]> {
  const axe = new AxeBuilder({ page }).exclude('iframe')
  const { violations: found } = await (colorScheme === 'dark'
    ? axe.withRules(['color-contrast', 'link-in-text-block'])
    : axe.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'])
  ).analyze()
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}
