/** Does the audit close on rollouts that a policy really sampled? The embedded model with a drawn adapter, whatever it says. */
import { expect, test } from 'vitest'
import {
  type AuditDtype,
  type CreditAudit,
  otherPolicyFrom,
  type Partition,
  type Reduction,
} from '../../../../shared/credit-audit.ts'
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { tensorOf } from '../../checkpoint/learned-state.ts'
import { copyRole, freshRole } from '../../learn/role.ts'
import { openStage } from '../../learn/stage-context.ts'
import { columnMultiple } from '../../nn/batch.ts'
import { generate } from '../../nn/generate.ts'
import { TorchRandom } from '../../random/torch-random.ts'
import { groupAdvantages } from '../group-advantages.ts'
import { auditCredit } from './audit.ts'
import { broadcast } from './credit-batch.ts'

const base = new URL('../../../../../resources/models/embedded', import.meta.url).pathname
const context = await openStage({ base, device: 'cpu', threads: 2, weightCache: '' })
const { model, tokenizer } = context
const random = new TorchRandom(7)
const role = freshRole(context.base, { rank: 8, alpha: 16, head: 'none', seed: 49 })
for (const { name } of role.state.specs)
  if (name.endsWith('.lora_B')) random.normal(tensorOf(role.state, name), 0, 0.02)

const groupSize = 4
const questions = ['My printer shows offline, what should I do?', 'There is no sound in the meeting.']
const prompts = questions.flatMap((content) => {
  const text = tokenizer.renderChat([{ role: 'user', content }], { addGenerationPrompt: true })
  return Array.from({ length: groupSize }, () => Array.from(tokenizer.encode(text)))
})
const sampled = await generate(model, role.layout, role.state, {
  prompts,
  maxNewTokens: 24,
  eosIds: [tokenizer.eosId!],
  choice: { kind: 'sample', temperature: 1, uniform: () => random.uniform01() },
  batch: prompts.length,
  promptColumns: Math.ceil(Math.max(...prompts.map(({ length }) => length)) / columnMultiple) * columnMultiple,
})
const trajectories = sampled.map(
  ({ tokenIds, logprobs }, k): Trajectory => ({
    id: `r${k}`,
    group: `g${Math.floor(k / groupSize)}`,
    // Shorter is better: any reward that differs serves.
    reward: -tokenIds.length + (k % groupSize) / 10,
    terminated: true,
    truncated: false,
    turns: [
      { role: 'user', token_ids: prompts[k]! },
      { role: 'assistant', token_ids: tokenIds, logprobs },
    ],
  }),
)
const advantages = groupAdvantages(trajectories)
const audit = (dtype: AuditDtype, partition: Partition, reduction: Reduction, policy = role) =>
  auditCredit(model, policy, {
    trajectories,
    advantages: trajectories.map((trajectory, k) => broadcast(trajectory, advantages[k]!)),
    advantagesFrom: 'GRPO',
    file: 'sampled',
    partition,
    dtype,
    reduction,
    step: { optimizer: 'sgd', learningRate: 0.01 },
  }) as Promise<CreditAudit>

test.each(['sum', 'response-mean'] as const)('by rollout, %s: 1e-15 in float64, 2e-7 in float32', async (reduction) => {
  const exact = await audit('float64', 'rollout', reduction)
  expect(exact.conservation_error).toBeLessThanOrEqual(1e-15)
  const single = await audit('float32', 'rollout', reduction)
  expect(single.conservation_error).toBeGreaterThan(0)
  expect(single.conservation_error).toBeLessThanOrEqual(2e-7)
  single.parts.forEach((part, k) => {
    expect(Math.abs(part.projected_share - exact.parts[k]!.projected_share)).toBeLessThan(1e-4)
  })
  for (const { step_conservation } of [exact, single]) {
    if (step_conservation === undefined || 'refused' in step_conservation) throw new Error('no step was taken')
    expect(step_conservation.relative_error).toBeLessThan(step_conservation.update_precision_floor)
  }
})

test('by token: the shares of a rollout add up to the rollout’s', async () => {
  const [rollouts, tokens] = [await audit('float64', 'rollout', 'sum'), await audit('float64', 'token', 'sum')]
  expect(tokens.trained_positions).toBe(sampled.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0))
  expect(tokens.conservation_error).toBeLessThanOrEqual(1e-14)
  for (const part of rollouts.parts) {
    const own = tokens.parts.filter(({ name }) => name.startsWith(`${part.name}/`))
    expect(own.reduce((sum, { projected_share }) => sum + projected_share, 0)).toBeCloseTo(part.projected_share, 13)
  }
})

test('bfloat16 closes to about three digits', async () => {
  const read = await audit('bfloat16', 'rollout', 'sum')
  expect(read.conservation_error).toBeGreaterThan(2e-4)
  expect(read.conservation_error).toBeLessThan(2e-2)
})

test('a gradient at parameters that did not sample the rollouts is told apart, though it adds up', async () => {
  const { sampling_gap: own } = await audit('float32', 'rollout', 'sum')
  // Cached decoding and one pass over the whole row order their sums differently.
  expect(own!.max).toBeLessThan(1e-4)
  expect(own!.mean).toBeLessThan(otherPolicyFrom / 10)
  expect(own!.tokens).toBe(sampled.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0))
  const other = copyRole(role)
  other.state.data.forEach((value, i) => {
    other.state.data[i] = value * 1.5
  })
  const read = await audit('float32', 'rollout', 'sum', other)
  expect(read.conservation_error).toBeLessThanOrEqual(2e-7)
  expect(read.sampling_gap!.mean).toBeGreaterThan(otherPolicyFrom)
})
