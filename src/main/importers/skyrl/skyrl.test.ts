import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { allRows, dump, type ExpectedDump, expectedDumps } from '../golden-dumps.ts'
import type { ImportedRow } from '../rollout-row.ts'
import type { SkyrlOptions } from './recovery.ts'
import { skyrlSource } from './skyrl.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-skyrl-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const expected = expectedDumps()
const file = (name: string) => dump('skyrl', `${name}.pkl`)
const optionsOf = ({ estimator, gamma, lambda }: ExpectedDump): SkyrlOptions => ({ estimator, gamma, lambda })
const read = (name: string, options = optionsOf(expected[name]!)) => allRows(skyrlSource(file(name), options))
const responseOf = (row: ImportedRow, field: string) => row.turns.slice(1).flatMap((turn) => turn[field] as number[])
const sum = (numbers: readonly number[]) => numbers.reduce((total, x) => total + x, 0)

describe.each(Object.entries(expected))('%s', (name, wanted) => {
  test('prompts, responses and masks are the ones that were laid out, padding rows left off', async () => {
    const rows = await read(name)
    expect(rows.map(({ turns }) => turns[0])).toEqual(
      wanted.rows.map(({ prompt }) => ({ role: 'user', token_ids: prompt })),
    )
    expect(rows.map((row) => responseOf(row, 'token_ids'))).toEqual(wanted.rows.map(({ response }) => response))
    const masks = rows.map(({ turns }) =>
      turns.slice(1).flatMap(({ role, token_ids }) => token_ids!.map(() => (role === 'assistant' ? 1 : 0))),
    )
    expect(masks).toEqual(wanted.rows.map(({ mask }) => mask))
    const groups = new Map(rows.map(({ group }, k) => [group, wanted.rows[k]!.group]))
    expect(rows.map(({ group }) => groups.get(group))).toEqual(wanted.rows.map(({ group }) => group))
    expect(groups.size).toBe(new Set(wanted.rows.map(({ group }) => group)).size)
  })

  test('numbers of the policy stand on actions, those of the critic on every token of the response', async () => {
    const rows = await read(name)
    for (const [k, row] of rows.entries()) {
      const want = wanted.rows[k]!
      const onActions = (list: readonly number[]) => list.filter((_, t) => want.mask[t] === 1)
      const actions = row.turns.filter(({ role }) => role === 'assistant')
      expect(actions.flatMap(({ logprobs }) => logprobs)).toEqual(onActions(want.logprobs))
      expect(actions.flatMap(({ ref_logprobs }) => ref_logprobs)).toEqual(onActions(want.ref_logprobs))
      expect(actions.flatMap(({ returns }) => returns)).toEqual(onActions(want.returns))
      if (want.values !== null) expect(responseOf(row, 'values')).toEqual(want.values)
      expect(row.turns.filter(({ role }) => role === 'tool').some(({ logprobs }) => logprobs !== undefined)).toBe(false)
    }
  })

  if (wanted.estimator === 'gae' || wanted.estimator === 'reinforce++') {
    test('token rewards come back within the rounding of float32, and their mean is the one that was logged', async () => {
      const source = skyrlSource(file(name), optionsOf(wanted))
      const rows = await allRows(source)
      for (const [k, row] of rows.entries()) {
        const { rewards } = wanted.rows[k]!
        for (const [t, reward] of responseOf(row, 'rewards').entries()) expect(reward).toBeCloseTo(rewards[t]!, 5)
        expect(row.reward).toBeCloseTo(sum(rewards), 5)
      }
      const [check] = source.summary().checks
      expect(check).toMatchObject({ name: 'mean reward', recorded: wanted.avg_final_rewards, agrees: true })
      expect(check!.difference).toBeLessThan(1e-6)
    })
  }
})

test('another gamma than the run had is found out by the logged mean', async () => {
  const source = skyrlSource(file('gae'), { estimator: 'gae', gamma: 1, lambda: 0.95 })
  await allRows(source)
  expect(source.summary().checks[0]).toMatchObject({ agrees: false })
})

test('a prompt is one group by its ids where the dump does not say where prompts change', async () => {
  const source = skyrlSource(file('gae_no_boundaries'), {})
  await allRows(source)
  expect(source.summary().notes.join()).toMatch(/equal prompts are one group/)
})

describe('group estimators', () => {
  test('under GRPO the score is an affine map of the reward in each group, with mean 0', async () => {
    const rows = await read('grpo')
    const { rows: wanted } = expected.grpo!
    for (const group of [0, 1, 3]) {
      const own = rows.flatMap(({ reward }, k) =>
        wanted[k]!.group === group ? [{ score: reward!, reward: sum(wanted[k]!.rewards) }] : [],
      )
      expect(sum(own.map(({ score }) => score))).toBeCloseTo(0, 4)
      const [a, b] = [own[0]!, own.at(-1)!]
      const slope = (a.score - b.score) / (a.reward - b.reward)
      for (const { score, reward } of own) expect(score - a.score).toBeCloseTo(slope * (reward - a.reward), 4)
    }
    // A group of one is given its raw score.
    const alone = wanted.findIndex(({ group }) => group === 2)
    expect(rows[alone]!.reward).toBeCloseTo(sum(wanted[alone]!.rewards), 5)
  })

  test('under RLOO it is the reward minus its group mean, and a group of one tells nothing', async () => {
    const rows = await read('rloo')
    const { rows: wanted } = expected.rloo!
    const total = (k: number) => sum(wanted[k]!.rewards)
    const own = wanted.map((_, k) => k).filter((k) => wanted[k]!.group === 0)
    const mean = sum(own.map(total)) / own.length
    for (const k of own) expect(rows[k]!.reward).toBeCloseTo(total(k) - mean, 5)
    expect(rows[wanted.findIndex(({ group }) => group === 2)]!.reward).toBeNull()
  })

  test('it says that rewards are known up to an affine map, and claims no check', async () => {
    const source = skyrlSource(file('grpo'), {})
    const rows = await allRows(source)
    expect(source.summary()).toMatchObject({ checks: [] })
    expect(source.summary().notes.join()).toMatch(/up to an affine map of each group \(grpo, inferred/)
    expect(rows[0]!.turns.some(({ rewards }) => rewards !== undefined)).toBe(false)
  })

  test('a rollout that the trainer filtered keeps its place in the group and has no action', async () => {
    const source = skyrlSource(file('grpo'), {})
    const rows = await allRows(source)
    expect(rows[1]!.turns.map(({ role }) => role)).toEqual(['user', 'tool'])
    expect(source.summary().notes.join()).toMatch(/loss_mask of 0 everywhere, as filtered ones have: 1/)
  })
})

test('steps of one rollout share an episode, and all carry its score', async () => {
  const rows = await read('steps')
  expect(rows.map(({ episode }) => episode)).toEqual([0, 0, 1, 2, 2, 2, 3, 3].map((k) => `episode-${k}`))
  for (const episode of new Set(rows.map((row) => row.episode))) {
    const scores = rows.filter((row) => row.episode === episode).map(({ reward }) => reward)
    expect(new Set(scores).size).toBe(1)
  }
})

test('a folder is read in the order of its steps, which become iterations', async () => {
  const run = join(folder, 'export')
  mkdirSync(join(run, 'dumped_data'), { recursive: true })
  const place = (step: number, name: string) =>
    copyFileSync(file(name), join(run, 'dumped_data', `global_step_${step}_training_input.pkl`))
  place(10, 'reinforce')
  place(2, 'protocol5')
  const rows = await allRows(skyrlSource(run, {}))
  expect(rows.map(({ iteration }) => iteration)).toEqual([2, 2, 10, 10, 10, 10, 10, 10])
  expect(rows[0]).toMatchObject({ id: 'step-2/rollout-0', group: 'step-2/prompt-0' })
})

describe('refused', () => {
  test.each([
    ['system', /names "\w+\.system", which was not loaded \(byte \d+\)/],
    ['cyclic', /an object that contains itself/],
    ['old_bare', /tensors in torch's own pickle form alone, which is not read; dump it again/],
  ])('%s', async (name, message) => {
    await expect(read(name, {})).rejects.toThrow(message)
  })

  test('an estimator whose fields are not there, and one that the numbers contradict', async () => {
    await expect(read('grpo', { estimator: 'gae' })).rejects.toThrow(/holds no values, so gae cannot be inverted/)
    await expect(read('reinforce', { estimator: 'rloo' })).rejects.toThrow(
      /vary from token to token, which rloo does not give/,
    )
  })

  test('a folder without dumps says what was looked for', () => {
    expect(() => skyrlSource(dump('verl'), {})).toThrow(
      /holds no dump of SkyRL \(dumped_data\/global_step_N_training_input\.pkl\)/,
    )
  })
})
