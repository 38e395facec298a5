import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { trainedRow } from '../engine/credit/trained-row.ts'
import { layOutBatch, shapeFor } from '../engine/nn/batch.ts'
import { readTrajectories } from './read-trajectories.ts'

const file = (rows: readonly unknown[]) => {
  const name = path.join(mkdtempSync(path.join(tmpdir(), 'trajectories-')), 'traj.jsonl')
  writeFileSync(name, rows.map((row) => JSON.stringify(row)).join('\n'))
  return name
}
const only = async (row: unknown) => (await readTrajectories(file([row])))[0]!.row
const rollout = {
  id: 'g0-r1',
  group: 'g0',
  reward: 1,
  terminated: true,
  truncated: false,
  note: { kept: true },
  turns: [
    { role: 'user', text: 'a', token_ids: [1, 2] },
    { role: 'assistant', text: 'b', token_ids: [5, 6], logprobs: [-0.1, -2], values: [], reward: 0, extra: 7 },
    { role: 'tool', text: 'c', token_ids: [9, 9, 9] },
    { role: 'assistant', token_ids: [3] },
    { role: 'tool', token_ids: [] },
  ],
}

test('a trajectory keeps unknown fields, and an empty list of numbers is one that was not recorded', async () => {
  const row = await only(rollout)
  expect(row).toMatchObject({ note: { kept: true } })
  const turn = row.turns[1]!
  expect(turn).toMatchObject({ extra: 7, reward: 0, logprobs: [-0.1, -2] })
  expect('values' in turn).toBe(false)
})

test('a null reward is an abstention and stays null', async () => {
  expect((await only({ ...rollout, reward: null })).reward).toBeNull()
})

test.each([
  [
    { ...rollout, turns: [{ role: 'assistant', token_ids: [1, 2], values: [1] }] },
    /turns\[0\]\.values: has 1 numbers for 2/,
  ],
  [{ ...rollout, truncated: true }, /terminated or truncated, not both/],
  [{ ...rollout, reward: undefined }, /reward/],
  [{ ...rollout, reward: -1e200 }, /reward: must lie within ±1e15; rescale it/],
  [{ ...rollout, turns: [{ role: 'bot', text: '' }] }, /role: must be system, user, assistant or tool/],
  [{ ...rollout, turns: [{ role: 'tool' }] }, /needs text or token_ids/],
])('a row that is no trajectory is refused by its place (%#)', async (row, message) => {
  await expect(readTrajectories(file([row]))).rejects.toThrow(message)
})

test('a number beyond the largest is refused in fields that are only kept', async () => {
  const name = file([])
  const row = JSON.stringify(rollout).replace('"extra":7', '"extra":[0,1e999]')
  writeFileSync(name, row)
  await expect(readTrajectories(name)).rejects.toThrow(
    /traj\.jsonl: turns\[1\]\.extra\[1\]: is beyond the largest number \(row g0-r1, line 1\)$/,
  )
})

test('observations stand in the row, are not actions, and tokens after the last action are left off', async () => {
  const trained = trainedRow(await only(rollout), 'traj.jsonl')
  expect(trained).toMatchObject({
    promptIds: [1, 2],
    completionIds: [5, 6, 9, 9, 9, 3],
    actionMask: [true, true, false, false, false, true],
    places: [
      { turn: 1, index: 0 },
      { turn: 1, index: 1 },
      { turn: 3, index: 0 },
    ],
  })
  const { feeds } = layOutBatch([trained], shapeFor([trained], 1))
  expect(Array.from(feeds.response_mask.data as Uint8Array)).toEqual([1, 1, 0, 0, 0, 1, 0, 0])
})
