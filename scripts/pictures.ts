/**
 * Makes every picture of README and docs anew, from one data folder with a finished study, or from one exported study:
 *
 *     node scripts/pictures.ts HOME|STUDY.zip [--study ID] [--all DIR]
 *
 * Which pictures there are is read from the documents themselves: `name.png` and `name-light.png` are taken in light,
 * `name-dark.png` in dark. A link that nothing makes is an error. `--all` takes every picture in light and in dark into a
 * folder to look at, and leaves the documents' own alone.
 */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from '@playwright/test'
import { chromiumArguments, chromiumPath } from '../e2e/browser.ts'
import { startServe } from '../e2e/hosts/serve.ts'

const root = resolve(import.meta.dirname, '..')
const schemes = ['light', 'dark'] as const
type Scheme = (typeof schemes)[number]

interface Taken {
  readonly page: Page
  readonly study: string
  /** Addresses of the study's runs, by stage. */
  readonly runs: Readonly<Record<'sft' | 'reward' | 'ppo', string>>
}

interface Picture {
  readonly height: number
  readonly width?: number
  /** Brings the window to what is shown. */
  readonly show: (taken: Taken) => Promise<void>
}

async function at(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    window.location.hash = to
  }, hash)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

const visible = (page: Page, selector: string) => page.locator(selector).first().waitFor()

async function highButFailed(page: Page, study: string): Promise<void> {
  await at(page, `#/samples/${study}`)
  await page.getByText('Sampled while learning', { exact: true }).click()
  await page.getByRole('button', { name: /^high reward, rubric failed: \d+ of/ }).click()
}

async function wizardSettings(page: Page): Promise<void> {
  await at(page, '#/new/data')
  await page.getByRole('button', { name: 'Next: Settings' }).click()
  await page.getByText('✓ The workbench accepts these settings.').waitFor()
}

/** By name; the window's pictures but for the report on its own. */
const pictures: Readonly<Record<string, Picture>> = {
  overview: {
    height: 900,
    show: async ({ page, study }) => {
      await at(page, `#/study/${study}`)
      await visible(page, '[data-chart="headline-learned-reward"] [data-curves] path')
    },
  },
  run: {
    height: 900,
    show: async ({ page, runs }) => {
      await at(page, runs.ppo)
      await page.getByRole('tab', { name: 'Curves' }).click()
      await visible(page, '[data-chart="learned-reward"] [data-curves] path')
    },
  },
  samples: {
    height: 900,
    show: async ({ page, study }) => {
      await highButFailed(page, study)
      const table = page.getByRole('region', { name: 'Sampled responses' })
      await table.focus()
      await page.keyboard.press('j')
      await table.locator('tr[aria-selected="true"]').waitFor()
    },
  },
  lattice: {
    height: 830,
    show: async ({ page, study }) => {
      await at(page, `#/samples/${study}`)
      await page.getByText('Sampled while learning', { exact: true }).click()
      await page.getByRole('region', { name: 'Sampled responses' }).locator('tbody tr[data-id]').nth(1).click()
      await page.keyboard.press('Enter')
      await page.locator('[data-place="0 2"]').focus()
      await page.getByRole('complementary', { name: 'Numbers of a token' }).getByText('response token 2,').waitFor()
    },
  },
  probes: {
    height: 900,
    show: async ({ page, study }) => {
      await at(page, `#/probes/${study}`)
      await page
        .locator('[data-chart="politeness"]')
        .getByRole('button', { name: /right advice/ })
        .first()
        .click()
      await page.getByRole('region', { name: /^Context / }).waitFor()
      await page.evaluate(() => window.scrollTo({ top: 0 }))
    },
  },
  compare: {
    height: 900,
    show: async ({ page, runs }) => {
      const ids = [runs.sft, runs.reward].map((hash) => hash.replace('#/run/', ''))
      await at(page, `#/compare?runs=${ids.join(',')}`)
      await visible(page, '[data-chart="compare-loss"] [data-curves] path')
    },
  },
  'credit-shares': {
    height: 900,
    show: async ({ page, runs }) => {
      // Of the iteration that the SFT policy sampled: its parameters are still there.
      await at(page, `#/credit?run=${runs.ppo.replace('#/run/', '')}&iterations=1-1`)
      // The audit is computed anew, and stays with the data folder like any other.
      const before = page.url()
      await page.getByRole('button', { name: 'Audit', exact: true }).click()
      await page.waitForURL((url) => url.href !== before, { timeout: 60_000 })
      const closing = page.getByRole('region', { name: 'Closing line' }).first()
      await closing.waitFor()
      await page.reload()
      await closing.waitFor()
    },
  },
  'credit-tokens': {
    height: 1230,
    show: async ({ page, runs }) => {
      await at(page, `#/credit?tab=tokens&run=${runs.ppo.replace('#/run/', '')}&iterations=1-1`)
      const compute = page.getByRole('button', { name: 'Compute exact shares' })
      const whole = page.getByText(/^all \d+ rollouts$/)
      await compute.or(whole).first().waitFor()
      // What was computed before is looked up first, and the button goes when it is found.
      await page.waitForTimeout(2000)
      if (await compute.isVisible()) await compute.click()
      await whole.waitFor({ timeout: 60_000 })
      await page.reload()
      await whole.waitFor()
      await page.locator('[data-place="0 0"]').nth(2).focus()
      await page.evaluate(() => window.scrollTo({ top: 0 }))
    },
  },
  'credit-methods': {
    height: 900,
    show: async ({ page, runs }) => {
      await at(page, `#/credit?tab=methods&run=${runs.ppo.replace('#/run/', '')}&iterations=1-2`)
      await page.getByRole('heading', { name: 'Token over token' }).waitFor()
    },
  },
  report: {
    height: 900,
    show: async ({ page, study }) => {
      await at(page, `#/reports/${study}`)
      await page.frameLocator('iframe[title="Preview of the report"]').getByRole('heading', { level: 1 }).waitFor()
    },
  },
  'wizard-settings': { height: 900, show: ({ page }) => wizardSettings(page) },
  'wizard-check': {
    height: 810,
    show: async ({ page }) => {
      await wizardSettings(page)
      await page.getByRole('button', { name: 'Next: Check' }).click()
      await page.getByRole('table', { name: 'Populations' }).waitFor()
    },
  },
}

/** The report as its reader opens it, from disk. */
const reportHeadline = 'report-headline'

interface Wanted {
  readonly name: string
  readonly scheme: Scheme
  readonly file: string
}

/** Every picture that the documents show. */
function wantedByDocuments(): Wanted[] {
  const documents = [
    'README.md',
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
  ]
  const files = new Set<string>()
  for (const document of documents) {
    for (const [, link = ''] of readFileSync(join(root, document), 'utf8').matchAll(/!\[[^\]]*\]\(([^)\s]+\.png)\)/g))
      files.add(resolve(root, dirname(document), link))
  }
  return [...files].sort().map((file) => {
    const [, name = '', , scheme] = /^(.*?)(-(light|dark))?\.png$/.exec(basename(file)) ?? []
    return { name, scheme: scheme === 'dark' ? 'dark' : 'light', file }
  })
}

function wantedByFolder(dir: string): Wanted[] {
  return [...Object.keys(pictures), reportHeadline].flatMap((name) =>
    schemes.map((scheme) => ({ name, scheme, file: join(resolve(dir), `${name}-${scheme}.png`) })),
  )
}

function recompense(...args: string[]): string {
  const program = join(root, 'src', 'main', 'cli', 'index.ts')
  return execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
    encoding: 'utf8',
  })
}

async function take(page: Page, file: string): Promise<void> {
  // Charts settle and fonts come; nothing in the window moves by itself afterwards.
  await page.waitForTimeout(400)
  mkdirSync(dirname(file), { recursive: true })
  const partial = `${file}.partial`
  writeFileSync(partial, await page.screenshot({ animations: 'disabled', caret: 'hide' }))
  renameSync(partial, file)
  process.stdout.write(`${relative(process.cwd(), file)}\n`)
}

async function takeWindow(browser: Browser, home: string, study: string, wanted: readonly Wanted[]): Promise<void> {
  const serve = await startServe(home)
  try {
    const first = await browser.newContext()
    const page = await first.newPage()
    await page.goto(serve.address)
    await at(page, '#/runs')
    const table = page.getByRole('table', { name: 'Runs' })
    const href = async (name: string) =>
      (await table.getByRole('link', { name, exact: true }).first().getAttribute('href')) ?? ''
    const runs = { sft: await href('SFT'), reward: await href('Reward model'), ppo: await href('PPO') }
    const cookies = await first.cookies()
    // What computes something comes last: the others do not show that it did.
    const computing = ({ name }: Wanted) => (name === 'credit-shares' || name === 'credit-tokens' ? 1 : 0)
    for (const { name, scheme, file } of [...wanted].sort((a, b) => computing(a) - computing(b))) {
      const { height, width = 1280, show } = pictures[name]!
      // A window of its own: nothing chosen for one picture is seen in the next.
      const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height } })
      await context.addCookies(cookies)
      const window = await context.newPage()
      await window.goto(new URL('/', serve.address).href)
      await window.getByRole('heading', { level: 1 }).waitFor()
      await show({ page: window, study, runs })
      await take(window, file)
      await context.close()
    }
    await first.close()
  } finally {
    await serve.end()
  }
}

async function takeReport(browser: Browser, home: string, study: string, wanted: readonly Wanted[]): Promise<void> {
  const out = mkdtempSync(join(tmpdir(), 'recompense-pictures-'))
  recompense('report', study, '--home', home, '--format', 'html', '--out', out)
  for (const { scheme, file } of wanted) {
    const context = await browser.newContext({ colorScheme: scheme, viewport: { width: 1180, height: 1080 } })
    const page = await context.newPage()
    await page.goto(pathToFileURL(join(out, 'report.html')).href)
    await take(page, file)
    await context.close()
  }
  rmSync(out, { recursive: true })
}

function refuse(message: string): never {
  process.stderr.write(`error: ${message}\n`)
  process.exit(2)
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { study: { type: 'string' }, all: { type: 'string' } },
})
const [source] = positionals
if (source === undefined || positionals.length > 1)
  refuse('usage: node scripts/pictures.ts HOME|STUDY.zip [--study ID] [--all DIR]')
if (!existsSync(source)) refuse(`${source}: is not here`)
const wanted = values.all === undefined ? wantedByDocuments() : wantedByFolder(values.all)
const unknown = wanted.filter(({ name }) => name !== reportHeadline && !Object.hasOwn(pictures, name))
if (unknown.length > 0)
  refuse(`nothing makes ${unknown.map(({ file }) => relative(root, file)).join(', ')}; add it to scripts/pictures.ts`)

const unpacked = source.endsWith('.zip') ? mkdtempSync(join(tmpdir(), 'recompense-pictures-home-')) : null
try {
  const home = unpacked ?? resolve(source)
  if (unpacked !== null) recompense('study', 'import', resolve(source), '--home', home)
  const listed = JSON.parse(recompense('study', 'list', '--json', '--home', home)) as {
    studies: readonly { readonly study_id: string; readonly status: string }[]
  }
  const finished = listed.studies.filter(({ status }) => status === 'finished').map(({ study_id }) => study_id)
  const study = values.study ?? finished[0]
  if (study === undefined || !finished.includes(study))
    refuse(`${source}: holds no finished study ${values.study ?? ''}`)
  const executablePath = await chromiumPath()
  const browser = await chromium.launch({
    args: chromiumArguments,
    ...(executablePath === undefined ? {} : { executablePath }),
  })
  await takeWindow(
    browser,
    home,
    study,
    wanted.filter(({ name }) => name !== reportHeadline),
  )
  await takeReport(
    browser,
    home,
    study,
    wanted.filter(({ name }) => name === reportHeadline),
  )
  await browser.close()
} finally {
  if (unpacked !== null) rmSync(unpacked, { recursive: true })
}
