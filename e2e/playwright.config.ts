/** Browser tests: built files only, one worker, no retries. */
import { defineConfig } from '@playwright/test'
import { chromiumArguments, chromiumPath } from './browser.ts'

const executablePath = await chromiumPath()

export default defineConfig({
  testDir: '.',
  outputDir: 'results',
  workers: 1,
  retries: 0,
  timeout: 60_000,
  reporter: [['list']],
  use: {
    headless: true,
    viewport: { width: 1280, height: 900 },
    launchOptions: { args: chromiumArguments, ...(executablePath === undefined ? {} : { executablePath }) },
  },
})
