/**
 * How quick the window is, on this machine: `node scripts/measure-workbench.ts [--only first_paint,…]` after `npm run
 * build`. One JSON line a figure on stdout, words for people on stderr. Figures, not tests: nothing fails for being slow.
 * Measure on a quiet machine; `docs/benchmarks.md` says what each figure is.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from '@playwright/test'
import { chromiumArguments, chromiumPath } from '../e2e/browser.ts'
import { startServe } from '../e2e/hosts/serve.ts'
import { insertRun } from '../src/main/store/runs.ts'
import { openWorkbench } from '../src/main/workbench/workbench.ts'
import { newRunId } from '../src/shared/ids.ts'
import { embeddedPreset } from '../src/shared/training-config.ts'

interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: 'ms'
  readonly aim: number
  readonly [detail: string]: unknown
}

const aims = { first_paint: 1500, filter_500_runs: 100, longest_frame: 100 } as const
const say = (line: string) => process.stderr.write(`${line}\n`)
const rounded = (value: number) => Math.round(value * 10) / 10
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** From asking for the address to the first pixels of content, in a browser that has seen nothing of it before. */
async function firstPaint(browser: Browser, home: string): Promise<Figure> {
  const serve = await startServe(home)
  // The address admits one visitor; those that are measured bring its cookie, and nothing else of it.
  const first = await opened(browser, serve.address, '#/studies')
  const cookies = await first.context().cookies()
  await first.context().close()
  const paints: number[] = []
  const headings: number[] = []
  for (let load = 0; load < 7; load++) {
    const context = await browser.newContext()
    await context.addCookies(cookies)
    const page = await context.newPage()
    await page.goto(new URL('/', serve.address).href)
    await page.getByRole('heading', { level: 1, name: 'Studies' }).waitFor()
    const { paint, heading } = await page.evaluate(() => ({
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      heading: performance.now(),
    }))
    paints.push(paint)
    headings.push(heading)
    await context.close()
  }
  await serve.end()
  return {
    name: 'first_paint',
    value: rounded(median(paints)),
    unit: 'ms',
    aim: aims.first_paint,
    least: rounded(Math.min(...paints)),
    most: rounded(Math.max(...paints)),
    heading_seen: rounded(median(headings)),
    loads: paints.length,
  }
}

/** From a keystroke in the filter of 500 runs to the frame that shows the runs left. */
async function filterRuns(browser: Browser, home: string): Promise<Figure> {
  addRuns(home, 500)
  const serve = await startServe(home)
  const page = await opened(browser, serve.address, '#/runs')
  const search = page.getByLabel('Search', { exact: true })
  await search.waitFor()
  await page.getByRole('status').filter({ hasText: /^500$/ }).waitFor()
  const times: number[] = []
  for (const text of ['reward', 'ppo', 'run-2026', 'zzz', '', 'sft', 'base', 'model 3', '']) {
    times.push(await search.evaluate(timeOfFilter, text))
  }
  await serve.end()
  return {
    name: 'filter_500_runs',
    value: rounded(Math.max(...times)),
    unit: 'ms',
    aim: aims.filter_500_runs,
    median: rounded(median(times)),
    filters: times.length,
  }
}

/** Runs in the browser: sets the field as typing does, and waits for the second frame after it. */
function timeOfFilter(field: Element, text: string): Promise<number> {
  const input = field as HTMLInputElement
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set
  return new Promise((done) => {
    requestAnimationFrame(() => {
      const from = performance.now()
      set?.call(input, text)
      input.dispatchEvent(new Event('input', { bubbles: true }))
      // The first callback runs before the frame is drawn, a task after it when it is.
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - from)))
    })
  })
}

function addRuns(home: string, count: number): void {
  const bench = openWorkbench({ home })
  const { db } = bench.store
  db.transaction(() => {
    for (let index = 0; index < count; index++) {
      const at = new Date(Date.UTC(2026, 0, 1) + index * 60_000)
      const stage = (['sft', 'reward', 'ppo'] as const)[index % 3] ?? 'sft'
      insertRun(db, {
        runId: newRunId(at, Math.random, stage),
        studyId: null,
        stage,
        purpose: 'main',
        status: (['finished', 'interrupted', 'failed'] as const)[index % 3] ?? 'finished',
        preset: 'own',
        config: { ...embeddedPreset, seed: index, model: `model ${index % 10}` },
        device: 'cpu',
        deviceReason: null,
        threads: 2,
        baseSha256: null,
        dataSha256: {},
        codeVersion: '0.1.0',
        parents: [],
        updatesDone: index,
        updatesTotal: count,
        journalBytes: 0,
        journalSha256: null,
        summary: null,
        seconds: {},
        owner: null,
        stageProcess: null,
        error: null,
        errorKind: null,
        createdAt: at.toISOString(),
        startedAt: at.toISOString(),
        finishedAt: at.toISOString(),
      })
    }
  })()
  bench.close()
}

/** The screens that follow a run, with the tab to open on each. */
const followed = ['Curves', 'Samples', 'Lattice', 'Log'] as const
const secondsOnEach = 10

/** The longest gap between two frames while PPO computes on every core, on each screen that follows it. */
async function longestFrame(browser: Browser, home: string): Promise<Figure> {
  const serve = await startServe(home)
  const page = await opened(browser, serve.address, '#/runs')
  await page.evaluate(startStudy, {
    kind: 'study',
    preset: 'embedded',
    settings: { accumulation_examples: 168, sft_epochs: 1, reward_epochs: 1, rollout_iterations: 5000 },
  })
  say('a study is under way; PPO begins in about half a minute')
  const run = page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'PPO', exact: true })
  await run.click({ timeout: 600_000 })
  await page.getByText(/iteration \d\d/).waitFor({ timeout: 600_000 })
  const screens: Record<string, { longest: number; p99: number; longest_task: number; frames: number }> = {}
  for (const tab of followed) {
    await page.getByRole('tab', { name: tab }).click()
    await page.waitForTimeout(2000)
    screens[tab.toLowerCase()] = await page.evaluate(watchFrames, 1000 * secondsOnEach)
  }
  const updates = Number(
    (
      await page
        .getByText(/^update [\d,]+ of/)
        .first()
        .textContent()
    )
      ?.replace(/\D+(\d[\d,]*) of.*/, '$1')
      .replaceAll(',', ''),
  )
  await page.getByRole('region', { name: 'Job' }).getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('region', { name: 'Job' }).getByText('interrupted').waitFor({ timeout: 60_000 })
  await serve.end()
  return {
    name: 'longest_frame',
    value: rounded(Math.max(...Object.values(screens).map(({ longest }) => longest))),
    unit: 'ms',
    aim: aims.longest_frame,
    screens,
    seconds_each: secondsOnEach,
    updates,
  }
}

/** Runs in the browser: asks for a study as the wizard does, over a socket of its own. */
function startStudy(request: object): Promise<void> {
  return new Promise((done, fail) => {
    const socket = new WebSocket(`ws://${location.host}/socket`)
    socket.onopen = () => socket.send(JSON.stringify({ id: 1, name: 'jobs.start', parameters: request }))
    socket.onerror = () => fail(new Error('no socket'))
    socket.onmessage = ({ data }) => {
      const { id, reply } = JSON.parse(String(data)) as { id?: number; reply?: { ok: boolean; message: string } }
      if (id !== 1) return
      socket.close()
      if (reply?.ok === true) done()
      else fail(new Error(reply?.message))
    }
  })
}

/** Runs in the browser: gaps between frames, and tasks of the page's own that took longer than 50 ms. */
function watchFrames(
  milliseconds: number,
): Promise<{ longest: number; p99: number; longest_task: number; frames: number }> {
  return new Promise((done) => {
    const gaps: number[] = []
    let task = 0
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) task = Math.max(task, duration)
    })
    observer.observe({ entryTypes: ['longtask'] })
    const from = performance.now()
    let last = from
    const frame = (now: number) => {
      if (now > last) gaps.push(now - last)
      last = Math.max(last, now)
      if (now - from < milliseconds) return void requestAnimationFrame(frame)
      observer.disconnect()
      gaps.sort((a, b) => a - b)
      const tenth = (value: number) => Math.round(value * 10) / 10
      done({
        longest: tenth(gaps.at(-1) ?? 0),
        p99: tenth(gaps[Math.floor(0.99 * gaps.length)] ?? 0),
        longest_task: tenth(task),
        frames: gaps.length,
      })
    }
    requestAnimationFrame(frame)
  })
}

async function opened(browser: Browser, address: string, hash: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage()
  await page.goto(address)
  await page.getByRole('heading', { level: 1, name: 'Studies' }).waitFor()
  await page.evaluate((to) => {
    location.hash = to
  }, hash)
  return page
}

const measures = { first_paint: firstPaint, filter_500_runs: filterRuns, longest_frame: longestFrame }
const { values } = parseArgs({ options: { only: { type: 'string' } } })
const wanted = values.only?.split(',') ?? Object.keys(measures)
const executablePath = await chromiumPath()
const browser = await chromium.launch({
  args: chromiumArguments,
  ...(executablePath === undefined ? {} : { executablePath }),
})
const root = mkdtempSync(join(tmpdir(), 'recompense-measure-'))
try {
  for (const [name, measure] of Object.entries(measures)) {
    if (!wanted.includes(name)) continue
    const home = join(root, name)
    mkdirSync(home)
    const figure = await measure(browser, home)
    say(`${name}: ${figure.value} ${figure.unit} (aim ${figure.aim})`)
    process.stdout.write(`${JSON.stringify(figure)}\n`)
  }
} finally {
  await browser.close()
  rmSync(root, { recursive: true, force: true })
}
