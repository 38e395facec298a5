/** Who got the credit, and does it add up? The laboratory on rollouts that a real, tiny policy sampled and learned from. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expect, looks, test, violations } from './learned.ts'
import { goTo } from './places.ts'

test.describe.configure({ timeout: 180_000 })

const examples = join(import.meta.dirname, '..', 'resources', 'examples')
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })

/** The job that a button started, to its end: what it made is in the address then. */
async function compute(page: Page, button: string): Promise<void> {
  const before = page.url()
  await page.getByRole('button', { name: button, exact: true }).click()
  await expect.poll(() => page.url(), { timeout: 90_000 }).not.toBe(before)
}

test('keys and the palette lead there, and every tab has an address', async ({ window: page }) => {
  await expect(heading(page, 'Studies')).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await expect(heading(page, 'Credit')).toBeVisible()
  await expect(page.getByText('Who got the credit, and does it add up?')).toBeVisible()
  for (const [name, address, question] of [
    ['Tokens', 'tokens', 'Which token got the credit?'],
    ['Methods', 'methods', 'Where do ways of assigning credit disagree?'],
    ['Process reward', 'process', 'Do shared prefixes say anything about single tokens?'],
    ['Diagnostics', 'diagnostics', 'Are these rollouts fit to assign credit from?'],
    ['DATC', 'datc', 'What would direction-aware weights change?'],
    ['Desk', 'desk', 'How does credit spread over several turns?'],
  ] as const) {
    await tab(page, name).click()
    await expect(heading(page, question)).toBeVisible()
    expect(new URL(page.url()).hash).toContain(`tab=${address}`)
  }
  await page.reload()
  await expect(heading(page, 'How does credit spread over several turns?')).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Go to, start, open a study…').fill('shared prefixes')
  await page.keyboard.press('Enter')
  await expect(heading(page, 'Do shared prefixes say anything about single tokens?')).toBeVisible()
  // At once, as a hand on the keyboard does it: the palette is gone, and no render between the keys loses the first.
  await page.keyboard.press('g')
  await page.keyboard.press('v')
  await expect(heading(page, 'Compare')).toBeVisible()
})

test('what was recorded while learning adds up, and is a lattice’s first colouring', async ({ window: page }) => {
  await goTo(page, '#/credit')
  const recorded = page.getByRole('region', { name: 'Recorded while learning' })
  await expect(recorded.getByText('✓ It adds up')).toBeVisible()
  const closing = recorded.getByRole('region', { name: 'Closing line' })
  await expect(closing).toContainText(/Σ projected shares\s*1\.000/)
  await expect(closing).toContainText('Conservation error')
  await tab(page, 'Tokens').click()
  await expect(page.getByLabel('Colour by')).toHaveValue('exact share')
  const whole = page.getByText('all 4 rollouts').locator('..')
  await expect(whole).toContainText(/sum 1\.000\s*conservation error/)
  // Arrows go from token to token, and the card beside follows.
  await page.locator('[data-place="0 0"]').first().focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.locator('[data-place="0 1"]').first()).toBeFocused()
  const card = page.getByRole('complementary', { name: 'Numbers of a token' })
  await expect(card.getByRole('row', { name: /^exact credit share/ })).toBeVisible()
  // The run's own lattice begins with the same colouring.
  await page.getByRole('link', { name: 'The run', exact: true }).click()
  await tab(page, 'Lattice').click()
  await expect(page.getByLabel('Colour by')).toHaveValue('exact credit share')
})

test('the report of a study whose gradients were audited says who got the credit', async ({ window: page, home }) => {
  await goTo(page, '#/credit')
  await page.getByRole('button', { name: 'Take away: Shares by rollout' }).click()
  await page.getByRole('menuitem', { name: 'Open in report' }).click()
  await expect(page).toHaveURL(new RegExp(`#/reports/${home.study}.*table-credit-readings`))
  const report = page.frameLocator('iframe[title="Preview of the report"]')
  await expect(report.getByText('Who got the credit, and does it add up?')).toBeVisible()
  await expect(report.getByRole('table', { name: /^Updates audited while learning/ })).toBeVisible()
})

test('an audit by token is computed, kept, and found again; a step that is no sum is refused', async ({
  window: page,
}) => {
  await goTo(page, '#/credit')
  await page.getByText('token', { exact: true }).click()
  await page.getByLabel('Compare with a real step of').selectOption('adamw')
  await compute(page, 'Audit')
  const result = page.getByRole('region', { name: 'Audit in view' })
  await expect(result.getByRole('heading', { name: /^The newest audit, by token, / })).toBeVisible()
  await expect(result.getByText(/at the policy after the run|at the policy before the run/).first()).toBeVisible()
  const closing = result.getByRole('region', { name: 'Closing line' })
  await expect(closing).toContainText(/Σ projected shares\s*1\.000/)
  await expect(closing.getByText(/^Step conservation: refused for/)).toBeVisible()
  expect(new URL(page.url()).hash).toContain('result=')
  await expect(page.locator('[data-chart="credit-shares"], [aria-label="Shares by token"]').first()).toBeAttached()
  await page.reload()
  await expect(page.getByText(/^Step conservation: refused for/)).toBeVisible()
  await page.getByRole('link', { name: 'Its run' }).click()
  await expect(page.getByRole('link', { name: 'Its result' })).toBeVisible()
})

test('methods stand side by side, and those that lack a field say what would give it', async ({ window: page }) => {
  await goTo(page, '#/credit?tab=methods')
  await expect(page.getByText(/tokens under 3 methods/)).toBeVisible()
  await page.getByRole('checkbox', { name: 'factor' }).check()
  await expect(page.getByText('factor: refused')).toBeVisible()
  await expect(
    page
      .getByRole('alert')
      .or(page.getByText(/credit read --teacher/))
      .first(),
  ).toBeVisible()
  await page.getByText('Sign agreement', { exact: true }).click()
  await expect(page.getByRole('table', { name: 'Sign agreement' })).toContainText('%')
  await expect(page.getByRole('heading', { name: 'Token over token' })).toBeVisible()
  await expect(page.getByRole('heading', { name: /^Where .* differ most$/ })).toBeVisible()
})

test('killed groups are a result, and a group that branches opens its tree', async ({ window: page }) => {
  await goTo(page, '#/credit?tab=process')
  await expect(page.getByText('Refused: no process reward can be read off these rollouts')).toBeVisible()
  await expect(page.getByText('4 of 4 groups are killed: only one rollout is graded')).toBeVisible()
  await expect(page.getByText('What to do:').locator('..')).toContainText('draw groups')
  await page.getByRole('button', { name: 'Import rollouts' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import rollouts' })
  await dialog.getByLabel('File', { exact: true }).fill(join(examples, 'trajectories.jsonl'))
  await dialog.getByRole('button', { name: 'Read it' }).click()
  await expect(dialog.getByText(/^Found: /)).toContainText('Not recorded:')
  await dialog.getByRole('button', { name: 'Show its rollouts' }).click()
  await tab(page, 'Process reward').click()
  await expect(page.getByText(/^Partial: |^✓ Every group branches/)).toBeVisible()
  const groups = page.getByRole('table', { name: 'Groups' })
  await groups.getByRole('row').filter({ hasText: '✓' }).first().getByRole('button').click()
  await expect(page.getByRole('list', { name: /^Prefix tree of group/ })).toBeVisible()
})

test('rollouts of another trainer are read in, with what they lack', async ({ window: page }) => {
  await goTo(page, '#/credit')
  await page.getByRole('button', { name: 'Import rollouts' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import rollouts' })
  await dialog.getByLabel('Written by').selectOption('verl')
  await dialog.getByLabel('File', { exact: true }).fill(join(examples, 'verl-rollouts.jsonl'))
  await dialog.getByRole('button', { name: 'Read it' }).click()
  await expect(dialog.getByText(/^Found: /)).toContainText('logprobs')
  await dialog.getByLabel('File', { exact: true }).fill(join(examples, 'nothing.jsonl'))
  await dialog.getByRole('button', { name: 'Read it' }).click()
  await expect(dialog.getByText('It was not read')).toBeVisible()
})

test('eight diagnostics, each with its status, figure and words', async ({ window: page }) => {
  await goTo(page, '#/credit?tab=diagnostics')
  const checks = page.getByRole('list', { name: 'Eight diagnostics' })
  await expect(checks.getByRole('listitem')).toHaveCount(8)
  await expect(checks).toContainText('hand computed')
  await expect(checks).toContainText('confident wrong')
})

test('weights are read off a reward model; without a comparison there is nothing to share out', async ({
  window: page,
}) => {
  await goTo(page, '#/credit?tab=datc')
  await compute(page, 'Read the weights')
  await expect(page.getByText('Nothing to share out')).toBeVisible()
  await expect(page.getByRole('table', { name: 'Weights by rollout' }).getByRole('row')).toHaveCount(5)
})

test('predicted gains are set beside single steps of the shared parameters, kept, and found again', async ({
  window: page,
}) => {
  await goTo(page, '#/credit?tab=datc')
  await page.getByText('Gain against a step', { exact: true }).click()
  await expect(page.getByText('It needs a file of prompts.')).toBeVisible()
  await page.getByLabel('Prompts', { exact: true }).fill(join(examples, 'prompts.jsonl'))
  const small = { Batches: '3', 'Prompts a batch': '2', 'Rollouts of a prompt': '3', 'Longest response': '6' }
  for (const [label, value] of Object.entries(small)) await page.getByLabel(label, { exact: true }).fill(value)
  await compute(page, 'Take the steps')
  await expect(page.getByText('3 batches are few')).toBeVisible()
  const points = page.getByRole('figure', { name: 'One AdamW step' })
  await expect(points.locator('.recharts-scatter-symbol')).toHaveCount(3)
  await expect(points.getByText('X: predicted gain in independent logits', { exact: true })).toBeVisible()
  const figures = page.getByRole('table', { name: 'What the points come to' })
  await expect(figures.getByRole('row', { name: /^X above 0/ })).toContainText('100.0%')
  await page.reload()
  await expect(page.getByRole('table', { name: 'Batch by batch' }).getByRole('row')).toHaveCount(4)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect.soft(await violations(page), colorScheme).toEqual([])
  }
})

test('episodes of the desk are played and read turn by turn', async ({ window: page }) => {
  await goTo(page, '#/credit?tab=desk')
  await page.getByRole('textbox', { name: 'Tasks' }).fill('2')
  await page.getByRole('textbox', { name: 'Episodes of each task' }).fill('2')
  await compute(page, 'Play')
  const episodes = page.getByRole('table', { name: 'Episodes' })
  await expect(episodes.getByRole('row')).toHaveCount(5, { timeout: 30_000 })
  await episodes.getByRole('button').nth(1).click()
  await expect(page.getByRole('region', { name: /^Episode / })).toContainText('user')
  await tab(page, 'Figures').click()
  await expect(page.getByRole('table', { name: 'What these episodes come to' })).toBeVisible()
  // This policy ends in its first turn: there is no prefix to play on from, and that is said.
  await page.getByLabel('Play', { exact: true }).selectOption('branch')
  await page.getByRole('button', { name: 'Branch', exact: true }).click()
  await expect(page.getByText('no rollout goes on after its first turn')).toBeVisible()
})

test('GRPO is started from the window, and its run and rollouts are shown as what they are', async ({
  window: page,
  home,
}) => {
  const tasks = join(home.dir, 'tasks.jsonl')
  const program = join(import.meta.dirname, '..', 'src', 'main', 'cli', 'index.ts')
  const args = ['desk', 'tasks', '--split', 'train', '--out', tasks]
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], { stdio: 'ignore' })
  await goTo(page, '#/new/group')
  await page.getByLabel('Base model').selectOption('Another folder…')
  await page
    .getByLabel('Folder of the model')
    .fill(join(import.meta.dirname, '..', 'test', 'golden', 'checkpoints', 'base_f32'))
  await page.getByLabel('Rollouts', { exact: true }).selectOption('desk')
  await page.getByLabel('Rows to learn from').fill(tasks)
  await page.getByLabel('SFT adapter: from a study').selectOption({ index: 1 })
  await page.getByLabel('Folder for the result').fill(join(home.dir, 'policy'))
  await page.getByRole('button', { name: 'Next: Settings' }).click()
  const small = {
    rollout_iterations: '2',
    prompts_per_rollout: '2',
    group_size: '2',
    max_new_tokens: '8',
    audit_every: '1',
  }
  for (const [key, value] of Object.entries(small)) await setting(page, key, value)
  await expect(page.getByText('✓ The workbench accepts these settings.')).toBeVisible()
  await page.getByRole('button', { name: 'Next: Check' }).click()
  await page.getByRole('button', { name: 'Next: Start' }).click()
  await page.getByRole('button', { name: 'Start', exact: true }).last().click()
  await expect(page.getByRole('region', { name: 'Job' })).toContainText('finished', { timeout: 90_000 })
  await goTo(page, '#/runs')
  await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'GRPO', exact: true }).click()
  await expect(page.getByRole('figure', { name: /^Reward/ })).toBeVisible()
  await page.getByRole('link', { name: 'Credit of its rollouts' }).click()
  await expect(page.getByText('4 rollouts', { exact: true })).toBeVisible()
  await tab(page, 'Tokens').click()
  await expect(page.getByLabel('Colour by')).toBeVisible()
})

test('every tab keeps WCAG AA, with results in it, by light and by dark', looks, async ({ window: page }) => {
  await goTo(page, '#/credit?tab=datc')
  await compute(page, 'Read the weights')
  await goTo(page, '#/credit')
  await compute(page, 'Audit')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const name of ['Shares', 'Tokens', 'Methods', 'Process reward', 'Diagnostics', 'DATC', 'Desk']) {
      await tab(page, name).click()
      await expect(page.getByRole('main').getByText(/^(Reading|Estimating|Comparing|Making|Counting).*…$/)).toHaveCount(
        0,
      )
      expect.soft(await violations(page, colorScheme), `${name}, ${colorScheme}`).toEqual([])
    }
    await page.getByRole('button', { name: 'Import rollouts' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import rollouts' })
    await expect(dialog).toBeVisible()
    await expect(dialog).toHaveCSS('opacity', '1')
    expect.soft(await violations(page, colorScheme), `import, ${colorScheme}`).toEqual([])
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  }
})

async function setting(page: Page, key: string, value: string): Promise<void> {
  const field = page.locator(`#setting-${key}`)
  const group = page.locator('details', { has: field })
  if (!(await group.evaluate((element) => (element as HTMLDetailsElement).open))) await group.locator('summary').click()
  await field.fill(value)
  await field.blur()
}
