/** Browser tests: built files only, one worker, no retries. Every `*.screen.spec.ts` runs in each host. */
import { defineConfig } from '@playwright/test'
import { chromiumArguments, chromiumPath } from './browser.ts'
import type { HostName } from './fixtures.ts'

const executablePath = await chromiumPath()
const screens = '**/*.screen.spec.ts'

export default defineConfig<object, { host: HostName }>({
  testDir: '.',
  outputDir: 'results',
  workers: 1,
  retries: 0,
  timeout: 60_000,
  // What is expected comes within a second here; a machine that shares its processors may need more.
  expect: { timeout: 15_000 },
  reporter: [['list']],
  use: {
    headless: true,
    // A click that cannot be made fails by itself, not by the end of the whole test.
    actionTimeout: 15_000,
    viewport: { width: 1280, height: 900 },
    launchOptions: { args: chromiumArguments, ...(executablePath === undefined ? {} : { executablePath }) },
  },
  projects: [
    { name: 'serve', testMatch: [screens, '**/{serve,report,built-cli,package}.spec.ts'], use: { host: 'serve' } },
    {
      name: 'electron-stand-in',
      testMatch: [screens, '**/window.spec.ts'],
      grepInvert: /@looks/,
      use: { host: 'electron-stand-in' },
    },
    { name: 'electron', testMatch: screens, grepInvert: /@looks/, use: { host: 'electron' } },
  ],
})
