/** The single-step study: its surrogate gradient against finite differences, and what must hold of X and P. */
import { expect, test } from 'vitest'
import { minimumPreset } from '../../../../shared/training-config.ts'
import { groupConfig } from '../../../workbench/study-config.ts'
import { checkpoints } from '../../checkpoint/checkpoint-fixtures.ts'
import { Learner } from '../../learn/learner.ts'
import { copyRole, freshRole } from '../../learn/role.ts'
import { openStage } from '../../learn/stage-context.ts'
import { shapeFor } from '../../nn/batch.ts'
import { TorchRandom } from '../../random/torch-random.ts'
import { trainedRow } from '../trained-row.ts'
import { singleStepStudy, summaryOf } from './single-step-study.ts'
import { inner, surrogateGradient } from './surrogate-reward.ts'

const context = await openStage({
  base: `${checkpoints}/base_f32`,
  device: 'cpu',
  threads: 1,
  weightCache: '/nonexistent',
})
const role = (head: 'none' | 'score', seed: number) => {
  const made = freshRole(context.base, { rank: 4, alpha: 8, head, seed })
  new TorchRandom(seed).normal(made.state.data, 0, 0.05)
  return made
}

test('the surrogate’s gradient is its derivative along any direction of the parameters', async () => {
  const { model } = context
  const rows = [
    trainedRow(
      {
        id: 'r',
        group: 'g',
        reward: 1,
        terminated: true,
        truncated: false,
        turns: [
          { role: 'user', token_ids: [5, 17, 80] },
          { role: 'assistant', token_ids: [41, 7] },
          { role: 'tool', token_ids: [90] },
          { role: 'assistant', token_ids: [12] },
        ],
      },
      'test',
    ),
  ]
  const gradient = new Float32Array(4 * context.base.config.hiddenSize)
  new TorchRandom(9).normal(gradient, 0, 1)
  const policy = role('none', 1)
  const direction = new Float32Array(policy.state.data.length)
  new TorchRandom(11).normal(direction, 0, 1)
  const at = async (s: number) => {
    const moved = copyRole(policy)
    moved.state.data.forEach((value, i) => {
      moved.state.data[i] = value + s * direction[i]!
    })
    const learner = new Learner(moved)
    const surrogate = await surrogateGradient(model, learner, rows, [gradient], shapeFor(rows, 1))
    return { surrogate, along: inner(learner.gradient, direction) }
  }
  const [here, up, down] = [await at(0), await at(2e-3), await at(-2e-3)]
  const slope = (up!.surrogate - down!.surrogate) / 4e-3
  expect(Math.abs(slope)).toBeGreaterThan(1e-3)
  // The derivative bends on the way: Simpson's rule over it gives the whole change.
  const mean = (up!.along + 4 * here!.along + down!.along) / 6
  expect(Math.abs(mean / slope - 1)).toBeLessThan(5e-3)
})

test('X is never negative, equal seeds give equal figures, and the policy stays as it was', async () => {
  const config = {
    ...groupConfig(minimumPreset),
    learning_rate: 1e-3,
    prompts_per_rollout: 2,
    group_size: 4,
    max_new_tokens: 8,
  }
  const prompts = [
    { id: 'a', promptIds: [5, 17, 80, 33, 7], completionIds: [] },
    { id: 'b', promptIds: [90, 12, 44], completionIds: [] },
  ]
  const [policy, reward] = [role('none', 1), role('score', 3)]
  const before = policy.state.data.slice()
  const parts = { context, policy, reward, prompts, config, batches: 4 }
  const study = await singleStepStudy(parts)
  expect(study.rows.length).toBe(4)
  for (const row of study.rows) {
    expect(row.independent_gain).toBeGreaterThanOrEqual(0)
    expect(Number.isFinite(row.shared_gain)).toBe(true)
    expect(row.informative_groups).toBe(2)
  }
  expect(policy.state.data).toEqual(before)
  expect(await singleStepStudy(parts)).toEqual(study)
})

test('the summary of points on a line, and of no spread', () => {
  const row = (x: number, p: number) => ({
    independent_gain: x,
    shared_gain: p,
    shared_gain_plain: 0,
    informative_groups: 1,
  })
  const line = summaryOf([row(1, -1), row(2, 1), row(3, 3)], ({ shared_gain }) => shared_gain)
  expect(line).toMatchObject({ batches: 3, share_independent_positive: 1, share_shared_positive: 2 / 3 })
  expect(line.spearman).toBeCloseTo(1, 12)
  expect(line.pearson).toBeCloseTo(1, 12)
  expect(line.r2).toBeCloseTo(1, 12)
  const flat = summaryOf([row(1, 0), row(2, 0)], ({ shared_gain }) => shared_gain)
  expect(flat).toMatchObject({ spearman: null, pearson: null, r2: null })
})
