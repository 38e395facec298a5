/** Fields read by models: where they land, that each estimator that needs them runs on the file, what is never replaced. */
import { expect, test } from 'vitest'
import type { Trajectory } from '../../../shared/trajectory.ts'
import { trajectorySchema } from '../../rows/trajectory-schema.ts'
import { checkpoints, expectBadInput } from '../checkpoint/checkpoint-fixtures.ts'
import { freshRole } from '../learn/role.ts'
import { openStage } from '../learn/stage-context.ts'
import { TorchRandom } from '../random/torch-random.ts'
import { compGae } from './estimators/comp-gae.ts'
import { opd } from './estimators/gamma-opd.ts'
import { p2t } from './estimators/p2t.ts'
import { red } from './estimators/red.ts'
import { readFields, requireReaders } from './read-fields.ts'

const context = await openStage({
  base: `${checkpoints}/base_f32`,
  device: 'cpu',
  threads: 1,
  weightCache: '/nonexistent',
})
const role = (head: 'none' | 'score' | 'v_head', seed: number) => {
  const made = freshRole(context.base, { rank: 4, alpha: 8, head, seed })
  new TorchRandom(seed).normal(made.state.data, 0, 0.05)
  return made
}
const several: Trajectory = {
  id: 'several',
  group: 'g',
  reward: 1,
  terminated: false,
  truncated: true,
  turns: [
    { role: 'user', token_ids: [5, 17, 80] },
    { role: 'assistant', token_ids: [41, 7], logprobs: [-1, -2] },
    { role: 'tool', token_ids: [90, 91, 92] },
    { role: 'assistant', token_ids: [12] },
    { role: 'tool', token_ids: [33] },
  ],
}
const single: Trajectory = {
  id: 'single',
  group: 'g',
  reward: 0,
  terminated: true,
  truncated: false,
  turns: [
    { role: 'user', token_ids: [5, 17, 80, 6, 7] },
    { role: 'assistant', token_ids: [41, 7, 3] },
  ],
}
const options = { gate: { least: 0.8, most: 1 }, replace: false }
const readers = {
  policy: role('none', 1),
  reference: null,
  teacher: role('none', 4),
  value: role('v_head', 2),
  reward: role('score', 3),
}

test('every field stands beside the tokens it is about, and the estimators that need it run', async () => {
  const { trajectories, fields } = await readFields(context, readers, [several, single], 'file', options)
  for (const trajectory of trajectories) expect(trajectorySchema.safeParse(trajectory).success).toBe(true)
  const [first, second] = trajectories as [Trajectory, Trajectory]
  // What was sampled is not replaced, nor mixed with what was read later.
  expect(first.turns[1]!.logprobs).toEqual([-1, -2])
  expect(first.turns[3]!.logprobs).toBeUndefined()
  expect(fields.logprobs).toEqual({ read: 1, kept: 1 })
  expect(second.turns[1]!.logprobs!.length).toBe(3)
  for (const name of ['ref_logprobs', 'teacher_logprobs', 'values', 'retention', 'token_influences'] as const) {
    expect(first.turns.map((turn) => turn[name]?.length)).toEqual([undefined, 2, undefined, 1, undefined])
    expect(fields[name]).toEqual({ read: 2, kept: 0 })
  }
  // Observations between actions have scores; what follows the last action is no part of what was scored.
  expect(first.turns.map((turn) => turn.prefix_scores?.length)).toEqual([undefined, 2, 3, 1, undefined])
  expect(typeof first.base_score).toBe('number')
  expect(typeof first.bootstrap_value).toBe('number')
  expect(second.bootstrap_value).toBeUndefined()
  const rollouts = [first, second].map((trajectory) => ({ trajectory, outcome: trajectory.reward!, file: 'file' }))
  const settings = { lambda: 0.95, gamma: 1, gate_min: null, gate_max: null } as never
  expect(red.estimate(rollouts, settings)[0]!.advantages.length).toBe(3)
  expect(p2t.estimate(rollouts, settings)[1]!.advantages.length).toBe(3)
  expect(compGae.estimate(rollouts, settings)[0]!.advantages.length).toBe(3)
  expect(opd.estimate([rollouts[1]!], settings)[0]!.advantages.length).toBe(3)
  const total = red.estimate(rollouts, settings)[1]!.advantages.reduce((sum, value) => sum + value, 0)
  expect(total).toBeCloseTo(second.turns[1]!.prefix_scores!.at(-1)! - second.base_score!, 5)
})

test('recorded fields stay unless asked, those of the sampling always', async () => {
  const only = { policy: readers.policy, reference: null }
  const recorded = {
    ...single,
    turns: [single.turns[0]!, { ...single.turns[1]!, logprobs: [-9, -9, -9], ref_logprobs: [-8, -8, -8] }],
  }
  const kept = await readFields(context, only, [recorded], 'file', options)
  expect(kept.trajectories[0]!.turns[1]!.ref_logprobs).toEqual([-8, -8, -8])
  const replaced = await readFields(context, only, [recorded], 'file', { ...options, replace: true })
  expect(replaced.trajectories[0]!.turns[1]!.ref_logprobs).not.toEqual([-8, -8, -8])
  expect(replaced.trajectories[0]!.turns[1]!.logprobs).toEqual([-9, -9, -9])
})

test('ids of another vocabulary and a call without any model are refused', async () => {
  const foreign = { ...single, turns: [single.turns[0]!, { role: 'assistant' as const, token_ids: [100_000] }] }
  await expect(readFields(context, readers, [foreign], 'rollouts.jsonl', options)).rejects.toThrow(
    /token id 100000 is outside the vocabulary .* \(row single\)/,
  )
  expectBadInput(() => requireReaders({}), /needs at least one of/)
})
