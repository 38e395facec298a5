/**
 * What every spec of a screen starts from: a data folder with one finished study, and the window open on it, whichever
 * host the project stands for. `test('…', async ({ window, home }) => …)`; `window` is a Playwright page.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, type Page } from '@playwright/test'
import { launchElectron } from './hosts/electron.ts'
import type { Opened } from './hosts/opened.ts'
import { launchServe } from './hosts/serve.ts'
import { launchStandIn } from './hosts/stand-in.ts'

export type HostName = 'serve' | 'electron-stand-in' | 'electron'

export interface Home {
  readonly dir: string
  /** The finished study in it. */
  readonly study: string
}

export interface Fixtures {
  /** A data folder of this test's own; may be changed freely. */
  readonly home: Home
  /** A data folder without any study. */
  readonly emptyHome: string
  /** Opens the window on a data folder; for specs that need another than `home`, or several windows. */
  readonly openOn: (dir: string) => Promise<Opened>
  /** The window, open on `home`. Console errors and page errors fail the test at its end. */
  readonly window: Page
  /** Console errors and page errors of all windows so far; specs that expect some empty it. */
  readonly faults: string[]
}

export const test = base.extend<Fixtures, { readonly host: HostName; readonly demo: Home }>({
  host: ['serve', { option: true, scope: 'worker' }],

  demo: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names from the pattern
    async ({}, use) => {
      const dir = join(mkdtempSync(join(tmpdir(), 'recompense-demo-')), 'home')
      const script = join(import.meta.dirname, '..', 'scripts', 'demo-home.ts')
      execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', script, dir, '--fake'], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await use({ dir, study: readdirSync(join(dir, 'studies'))[0] ?? '' })
      rmSync(dir, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],

  home: async ({ demo }, use) => {
    const dir = join(mkdtempSync(join(tmpdir(), 'recompense-home-')), 'home')
    cpSync(demo.dir, dir, { recursive: true })
    await use({ dir, study: demo.study })
    rmSync(dir, { recursive: true, force: true })
  },

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names from the pattern
  emptyHome: async ({}, use) => {
    const dir = mkdtempSync(join(tmpdir(), 'recompense-empty-'))
    await use(dir)
    rmSync(dir, { recursive: true, force: true })
  },

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names from the pattern
  faults: async ({}, use) => {
    await use([])
  },

  openOn: async ({ host, context, faults }, use, info) => {
    const opened: Opened[] = []
    await use(async (dir) => {
      const launch = { serve: launchServe, 'electron-stand-in': launchStandIn, electron: launchElectron }[host]
      const result = await launch({ dir, context, skip: (reason) => info.skip(true, reason), watch: watcher(faults) })
      opened.push(result)
      return result
    })
    for (const { close } of opened) await close()
  },

  window: async ({ openOn, home, faults }, use, info) => {
    const { page } = await openOn(home.dir)
    await use(page)
    if (info.status === 'passed' && faults.length > 0) throw new Error(`the page reported ${faults.join('\n')}`)
  },
})

export { expect } from '@playwright/test'

/** Of tests of what the page itself looks like, the same in every host: they take minutes and run in `serve` alone. */
export const looks = { tag: '@looks' }

/** Listens before the page loads. */
const watcher = (faults: string[]) => (page: Page) => {
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
}
