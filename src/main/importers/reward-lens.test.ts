/** A record made here in reward-lens's layout: joined, graded, cut by the loss mask, and refused where it is not whole. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { groupNormalised } from '../engine/credit/estimators/baselines.ts'
import { allRows, dump } from './golden-dumps.ts'
import { rewardLensSource } from './reward-lens.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-record-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Rollout {
  readonly id: string
  readonly group: string
  readonly step: number
  readonly value: number | null
  readonly advantage: number | null
  readonly turns: readonly {
    readonly role: string
    readonly text: string
    readonly more?: Readonly<Record<string, unknown>>
  }[]
}

const leaf = (value: number | null) => ({
  __type__: 'reward_lens.record.scores.Leaf',
  fields: { name: 'length_reward', value, grader_call: null, abstained: value === null },
})
const estimator = { family: 'grpo', group_centred: true, std_normalised: true, std_epsilon: 1e-4, std_ddof: 1 }

/** Graded rollouts of one group, with the advantages that GRPO gives them. */
function groupOf(step: number, group: string, values: readonly (number | null)[]): Rollout[] {
  const graded = values.filter((value) => value !== null)
  const advantages = groupNormalised(graded, 1, 1e-4)
  let next = 0
  return values.map((value, k) => ({
    id: `${group}-${k}`,
    group,
    step,
    value,
    advantage: value === null ? 0 : advantages[next++]!,
    turns: [
      { role: 'user', text: `question of ${group}` },
      { role: 'assistant', text: `answer ${k}` },
    ],
  }))
}

interface Forge {
  readonly counts?: Readonly<Record<string, number>>
  readonly turns?: (rows: object[]) => object[]
  readonly scores?: (rollout: Rollout) => object
  readonly manifest?: object
}

let made = 0
function record(rollouts: readonly Rollout[], forge: Forge = {}): string {
  const root = join(folder, `record-${made++}`)
  const run = join(root, 'runs', 'run_1')
  const name = 'step_range=000000-000099'
  const part = join(run, 'steps', name)
  mkdirSync(part, { recursive: true })
  const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const keys = (r: Rollout) => ({ run_id: 'run:1', step_index: r.step, group_id: r.group, trajectory_id: r.id })
  const turns = rollouts.flatMap((r) =>
    r.turns.map(({ role, text, more = {} }, index) => ({
      ...keys(r),
      turn_index: index,
      role,
      text,
      payload: JSON.stringify({
        index,
        role,
        text,
        token_ids: null,
        logprobs_sampling: null,
        logprobs_train: null,
        loss_mask: null,
        step_score: null,
        truncated: null,
        ...more,
      }),
    })),
  )
  const trajectories = rollouts.map((r) => ({
    ...keys(r),
    n_turns: r.turns.length,
    advantage: r.advantage,
    payload: JSON.stringify({ scores: forge.scores?.(r) ?? leaf(r.value), features: { words: 2 }, labels: {} }),
  }))
  const groups = [...new Set(rollouts.map(({ group }) => group))]
  writeFileSync(join(part, 'turns.jsonl'), lines(forge.turns?.(turns) ?? turns))
  writeFileSync(join(part, 'trajectories.jsonl'), lines(trajectories))
  writeFileSync(
    join(part, 'groups.jsonl'),
    lines(groups.map((group_id) => ({ group_id, payload: JSON.stringify({ estimator }) }))),
  )
  const counts = { trajectories: rollouts.length, turns: turns.length, ...forge.counts }
  writeFileSync(
    join(run, 'manifest.json'),
    JSON.stringify({ run_id: 'run:1', format: 'jsonl', partitions: [{ name }], counts, ...forge.manifest }),
  )
  return root
}
const two = [...groupOf(0, 'a', [1.08, 0.96, null, 0.84]), ...groupOf(1, 'b', [0.5, 0.5, null, 2])]

test('grades, groups and steps; an abstention is null, and the advantages replay without it', async () => {
  const source = rewardLensSource(record(two))
  const rows = await allRows(source)
  expect(rows.map(({ reward }) => reward)).toEqual([1.08, 0.96, null, 0.84, 0.5, 0.5, null, 2])
  expect(rows.map(({ group }) => group)).toEqual(['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b'])
  expect(rows.map(({ iteration }) => iteration)).toEqual([0, 0, 0, 0, 1, 1, 1, 1])
  expect(rows[0]).toMatchObject({ id: 'a-0', terminated: true, features: { words: 2 } })
  expect(rows[0]!.turns).toEqual([
    { role: 'user', text: 'question of a' },
    { role: 'assistant', text: 'answer 0' },
  ])
  const { checks, notes, absent } = source.summary()
  expect(checks).toMatchObject([{ name: 'advantages replayed (GRPO, ddof 1, ε 0.0001)', agrees: true }])
  expect(checks[0]!.difference).toBeLessThan(1e-12)
  expect(notes.join()).toMatch(/without a grade: 2; the grader abstained.*no token ids.*why a rollout ended/)
  expect(absent).toContain('token_ids')
})

test('an abstention read as 0 would not replay', async () => {
  const zeroed = two.map((r) => ({ ...r, value: r.value ?? 0 }))
  const source = rewardLensSource(record(zeroed))
  await allRows(source)
  expect(source.summary().checks[0]).toMatchObject({ agrees: false })
})

test('turns are joined by id whatever their order', async () => {
  const rows = await allRows(rewardLensSource(record(two, { turns: (turns) => turns.toReversed() })))
  expect(rows.map(({ turns }) => turns[1]!.text)).toEqual(two.map(({ turns }) => turns[1]!.text))
})

test('ids, both log-probability streams, step scores, roles and the loss mask', async () => {
  const [first] = groupOf(0, 'a', [1])
  const more = {
    token_ids: [5, 6, 7, 8],
    logprobs_sampling: [-1, -2, -3, -4],
    logprobs_train: [-1.1, -2, -3, -4],
    loss_mask: [true, true, false, true],
    step_score: 0.5,
    truncated: true,
  }
  const turns = [
    { role: 'system', text: 's', more: { token_ids: [1] } },
    { role: 'user', text: 'u', more: { token_ids: [2] } },
    { role: 'assistant', text: 'abcd', more },
    { role: 'environment', text: 'e', more: { token_ids: [9], loss_mask: [false] } },
  ]
  const source = rewardLensSource(record([{ ...first!, turns }]))
  const [row] = await allRows(source)
  expect(row).toMatchObject({ terminated: false, truncated: true })
  expect(row!.turns.slice(2)).toEqual([
    { role: 'assistant', token_ids: [5, 6], logprobs: [-1, -2], train_logprobs: [-1.1, -2] },
    { role: 'tool', token_ids: [7], logprobs: [-3], train_logprobs: [-3] },
    { role: 'assistant', token_ids: [8], logprobs: [-4], train_logprobs: [-4], reward: 0.5 },
    { role: 'tool', text: 'e', token_ids: [9] },
  ])
  expect(source.summary().absent).not.toContain('stop_reason')
})

test('tables in parquet are the same record', async () => {
  const source = rewardLensSource(dump('reward-lens'))
  const rows = await allRows(source)
  expect(rows.map(({ id, iteration, reward }) => [id, iteration, reward])).toEqual([
    ['traj:0', 4, 1],
    ['traj:1', 4, null],
    ['traj:2', 4, 0.5],
  ])
  expect(rows[2]!.turns[1]).toEqual({ role: 'assistant', text: 'assistant 2', token_ids: [2, 1] })
  expect(source.summary().checks).toMatchObject([{ agrees: true }])
})

test('what a composed score came to is taken from the trainer, or refused', async () => {
  const sum = { __type__: 'reward_lens.record.scores.WeightedSum', fields: { name: 'total', children: [] } }
  await expect(allRows(rewardLensSource(record(two, { scores: () => sum })))).rejects.toThrow(
    /its score is a WeightedSum, and the record does not say what it came to.*\(line 1\)/,
  )
})

describe('refused', () => {
  test.each<[string, Forge, RegExp]>([
    ['a turn too few', { turns: (turns) => turns.slice(0, -1) }, /has 1 of 2 turns in .*\(line 8\)/],
    ['fewer rollouts than were written', { counts: { trajectories: 9 } }, /counts 9 trajectories, the tables hold 8/],
    ['another format', { manifest: { format: 'arrow' } }, /tables in the format "arrow"; jsonl and parquet are read/],
    [
      'a partition outside the run',
      { manifest: { partitions: [{ name: '../../secret' }] } },
      /names no partition: "\.\.\/\.\.\/secret"/,
    ],
    [
      'a partition that is not there',
      { manifest: { partitions: [{ name: 'step_range=1-2' }] } },
      /file not found; the record is incomplete/,
    ],
    [
      'a payload that is no JSON',
      { turns: (turns) => turns.map((turn) => ({ ...turn, payload: '{' })) },
      /payload is not a JSON object \(line 1\)/,
    ],
    [
      'a role of nobody',
      { turns: (turns) => turns.map((turn) => ({ ...turn, role: 'constructor' })) },
      /role is "constructor"/,
    ],
    [
      'a score that is a text',
      { scores: () => ({ __type__: 'x.Leaf', fields: { value: '1', abstained: false } }) },
      /its score is no number and no abstention/,
    ],
  ])('%s', async (_name, forge, message) => {
    await expect(allRows(rewardLensSource(record(two, forge)))).rejects.toThrow(message)
  })

  test('a folder that is no record', () => {
    expect(() => rewardLensSource(folder)).toThrow(
      /is no record of reward-lens: expected is a folder with runs\/run_ID\/manifest\.json/,
    )
  })
})
