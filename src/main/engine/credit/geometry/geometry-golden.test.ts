/** The audit of the golden actor against numbers made with PyTorch in float64 (test/golden/geometry). */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { AuditDtype, CreditAudit, Partition } from '../../../../shared/credit-audit.ts'
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { openBase } from '../../checkpoint/hf-folder.ts'
import { emptyState } from '../../checkpoint/learned-state.ts'
import { loraSpecs } from '../../checkpoint/lora-layout.ts'
import { readSafetensorsHeader, readTensor } from '../../checkpoint/safetensors.ts'
import { openTokenizer } from '../../checkpoint/tokenizer.ts'
import { roleOf } from '../../learn/role.ts'
import { Model, type Numbers } from '../../nn/model.ts'
import { FrozenWeights } from '../../nn/weights.ts'
import { resolveDevice } from '../../runtime/device.ts'
import { auditCredit } from './audit.ts'
import { broadcast, creditBatch } from './credit-batch.ts'
import { disintegrate, tokenShares } from './disintegrate.ts'
import { byRollout, byToken, byTurn, partsOf } from './partition.ts'
import { PolicyGradient } from './policy-gradient.ts'
import { stepConservation } from './step-conservation.ts'
import { dot, norm } from './vectors.ts'

const golden = (path: string) => new URL(`../../../../../test/golden/${path}`, import.meta.url).pathname
const { rollouts, rewards, advantages, parameter_order, report } = JSON.parse(
  readFileSync(golden('geometry/report.json'), 'utf8'),
)

const base = openBase(golden('checkpoints/base_f32'))
const weights = new FrozenWeights(base)
const device = resolveDevice('cpu', 2)
const float32 = new Model(weights, { device })
const float64 = new Model(weights, { device, float: 'float64' })

const actor = (() => {
  const state = emptyState(loraSpecs(base.config, 8, { head: false }))
  const file = readSafetensorsHeader(golden('geometry/actor.safetensors'))
  for (const spec of state.specs) state.data.set(readTensor(file, spec.name) as Float32Array, spec.offset)
  return roleOf(state, 8, 16, 'none')
})()

interface Segment {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly start: number
  readonly length: number
}
const trajectories: Trajectory[] = rollouts.map(
  (rollout: { input_ids: number[]; segments: Segment[] }, k: number): Trajectory => ({
    id: `r${k}`,
    group: 'g',
    reward: rewards[k],
    terminated: true,
    truncated: false,
    turns: rollout.segments.map(({ role, start, length }) => ({
      role,
      token_ids: rollout.input_ids.slice(start, start + length),
    })),
  }),
)
const spread = trajectories.map((trajectory, k) => broadcast(trajectory, advantages[k]))
const limits = { vocabSize: base.config.vocabSize, maxPositions: base.config.maxPositions }
const batch = creditBatch(trajectories, spread, 'sum', 'golden', limits)
const reference = { rollout: report.by_rollout, turn: report.by_turn, token: report.by_token }

/** A stored gradient in the layout of the learned state. */
function stored(name: string): Float64Array {
  const flat = readTensor(readSafetensorsHeader(golden('geometry/gradients.safetensors')), name) as Float64Array
  const data = new Float64Array(flat.length)
  let offset = 0
  for (const tensor of parameter_order as string[]) {
    const spec = actor.state.specs.find(({ name: known }) => known === tensor)!
    data.set(flat.subarray(offset, offset + spec.size), spec.offset)
    offset += spec.size
  }
  return data
}
const relative = (a: Numbers, b: Numbers) => norm(Float64Array.from(b, (value, i) => value - a[i]!)) / norm(b)
const audit = (dtype: AuditDtype, partition: Partition, optimizer = 'sgd', learningRate = 0.01) =>
  auditCredit(float32, actor, {
    trajectories,
    advantages: spread,
    advantagesFrom: 'the golden file',
    file: 'golden',
    partition,
    dtype,
    reduction: 'sum',
    step: { optimizer, learningRate },
  }) as Promise<CreditAudit>

test('shares, norms and cancellation from the stored vectors themselves', () => {
  const full = stored('g_full_f64')
  expect(norm(full) / report.full_gradient_norm).toBeCloseTo(1, 14)
  for (const k of [0, 1]) {
    const part = stored(`g_rollout.${k}_f64`)
    expect(Math.abs(dot(part, full) / dot(full, full) - report.by_rollout.projected_share[k])).toBeLessThan(1e-14)
    expect(Math.abs(norm(part) - report.by_rollout.norm[k])).toBeLessThan(1e-11)
  }
})

describe('float64', () => {
  const source = new PolicyGradient(float64, actor, batch)

  test('the whole gradient is the stored one', async () => {
    const full = source.buffer()
    expect(await source.full(full)).toBe(1)
    expect(relative(full.data, stored('g_full_f64'))).toBeLessThan(1e-13)
  })

  test.each(['rollout', 'turn'] as const)('by %s: every share, and conservation at 1e-15', async (partition) => {
    const read = await audit('float64', partition)
    const expected = reference[partition]
    read.parts.forEach((part, i) => {
      expect(Math.abs(part.projected_share - expected.projected_share[i])).toBeLessThan(1e-12)
      expect(Math.abs(part.norm_share! - expected.norm_share[i])).toBeLessThan(1e-12)
    })
    expect(read.parts).toHaveLength(expected.norm_share.length)
    expect(Math.abs(read.cancellation! - expected.cancellation)).toBeLessThan(1e-12)
    expect(Math.abs(read.full_norm - report.full_gradient_norm)).toBeLessThan(1e-10)
    expect(Math.abs(read.projected_share_sum - 1)).toBeLessThan(2e-15)
    expect(read.conservation_error).toBeGreaterThan(0)
    expect(read.conservation_error).toBeLessThanOrEqual(1e-15)
    expect(read.backward_passes).toBe(read.parts.length + 1)
    expect(read.trained_positions).toBe(39)
  })

  test('by token: one forward-mode pass, T backward passes and the stored shares are the same numbers', async () => {
    const forward = await audit('float64', 'token')
    expect(forward).toMatchObject({ backward_passes: 1, forward_mode_passes: 1, conservation_of: 'projection' })
    expect(forward.parts.map(({ norm_share }) => norm_share)).toEqual(forward.parts.map(() => undefined))
    expect(forward.conservation_error).toBeLessThanOrEqual(2e-15)
    const backward = await disintegrate(source, partsOf(batch.positions, byToken))
    expect(backward.backward_passes).toBe(40)
    expect(backward.conservation_error).toBeLessThanOrEqual(1e-15)
    forward.parts.forEach((part, i) => {
      expect(part.name).toBe(backward.parts[i]!.name)
      expect(Math.abs(part.projected_share - backward.parts[i]!.projected_share)).toBeLessThan(1e-14)
      expect(Math.abs(part.projected_share - report.by_token.projected_share[i])).toBeLessThan(1e-12)
      expect(Math.abs(backward.parts[i]!.norm_share * backward.full_norm - report.by_token.norm[i])).toBeLessThan(1e-9)
    })
  })

  test('a partition of one’s own: any function from a position to a name', async () => {
    const early = await disintegrate(
      source,
      partsOf(batch.positions, ({ index }) => (index < 2 ? 'first two tokens' : 'the others')),
    )
    const expected = (first: boolean) =>
      batch.positions.reduce(
        (sum, { index }, i) => (index < 2 === first ? sum + report.by_token.projected_share[i] : sum),
        0,
      )
    expect(early.parts.map(({ name }) => name)).toEqual(['first two tokens', 'the others'])
    expect(Math.abs(early.parts[0]!.projected_share - expected(true))).toBeLessThan(1e-12)
    expect(Math.abs(early.parts[1]!.projected_share - expected(false))).toBeLessThan(1e-12)
    expect(early.conservation_error).toBeLessThanOrEqual(1e-15)
  })
})

describe('float32', () => {
  test.each(['rollout', 'turn'] as const)('by %s: shares to 1e-4, conservation at 2e-7', async (partition) => {
    const read = await audit('float32', partition)
    read.parts.forEach((part, i) => {
      expect(Math.abs(part.projected_share - reference[partition].projected_share[i])).toBeLessThan(1e-5)
    })
    expect(read.accumulation).toMatch(/float64/)
    expect(read.conservation_error).toBeGreaterThan(1e-9)
    expect(read.conservation_error).toBeLessThanOrEqual(2e-7)
  })

  test('with every sum in float32, as a trainer has it: conservation at 1e-5', async () => {
    const source = new PolicyGradient(float32, actor, batch)
    const read = await disintegrate(source, partsOf(batch.positions, byTurn))
    expect(read.conservation_error).toBeGreaterThan(1e-7)
    expect(read.conservation_error).toBeLessThanOrEqual(1e-5)
  })

  test('by token: forward mode agrees with T backward passes', async () => {
    const source = new PolicyGradient(float32, actor, batch)
    const forward = await tokenShares(source)
    const backward = await disintegrate(source, partsOf(batch.positions, byToken))
    backward.parts.forEach((part, i) => {
      expect(Math.abs(forward.shares[i]! - part.projected_share)).toBeLessThan(1e-6)
      expect(Math.abs(forward.shares[i]! - report.by_token.projected_share[i])).toBeLessThan(1e-5)
    })
    expect(forward.conservation_error).toBeLessThan(2e-6)
  })
})

test('bfloat16 is emulated, says so, and loses what that dtype loses', async () => {
  const read = await audit('bfloat16', 'rollout')
  expect(read.emulation).toMatch(/rounded to bfloat16/)
  expect(read.conservation_error).toBeGreaterThan(1e-4)
  expect(read.conservation_error).toBeLessThan(0.1)
  // Half of this update cancels between rollouts, so the shares keep about two digits.
  read.parts.forEach((part, i) => {
    expect(Math.abs(part.projected_share - report.by_rollout.projected_share[i])).toBeLessThan(0.1)
  })
})

describe('a real step of the optimizer', () => {
  const cases = report.step_conservation.filter((entry: { dtype?: string }) => entry.dtype !== undefined)
  test.each(cases as { dtype: 'float32' | 'float64'; lr: number }[])('sgd, $dtype, rate $lr', async (expected) => {
    const { dtype, lr } = expected
    const known = expected as unknown as Record<string, number | boolean>
    const read = await audit(dtype, 'rollout', 'sgd', lr)
    if (read.step_conservation === undefined || 'refused' in read.step_conservation)
      throw new Error('no step was taken')
    const { relative_error, update_precision_floor, update_precision_limited } = read.step_conservation
    expect(update_precision_floor / (known.update_precision_floor as number)).toBeCloseTo(1, 5)
    expect(update_precision_limited).toBe(known.update_precision_limited)
    // The error is below its floor, and of the size that PyTorch's step leaves.
    expect(relative_error).toBeLessThan(update_precision_floor)
    const factor = relative_error / (known.step_conservation_error as number)
    expect(factor).toBeGreaterThan(0.2)
    expect(factor).toBeLessThan(5)
  })

  test.each([
    ['AdamW', [/second moment/, /weight decay/]],
    ['adam', [/second moment/]],
    ['SGD_momentum_second_step', [/momentum adds/]],
    ['SGD_weight_decay', [/weight decay/]],
    ['SGD_clipped', [/clipping scales/]],
    ['sgd+momentum+clipping', [/momentum adds/, /clipping scales/]],
    ['lbfgs', [/not plain gradient descent/]],
  ] as const)('%s is refused, by name and with its reasons', async (optimizer, reasons) => {
    const parameters = new Float32Array([1])
    const vector = new Float32Array([1])
    const read = stepConservation({
      optimizer,
      learningRate: 0.01,
      dtype: 'float32',
      parameters,
      gradient: vector,
      summed: vector,
    })
    if (!('refused' in read)) throw new Error('was not refused')
    expect(read.optimizer).toBe(optimizer)
    expect(read.refused.startsWith(`${optimizer}:`)).toBe(true)
    for (const reason of reasons) expect(read.refused).toMatch(reason)
    expect(Array.from(parameters)).toEqual([1])
  })
})

test('a turn is tokenised by itself: merging across the boundary would move a token to another turn', () => {
  const { turn_texts, per_turn_ids, concatenated_string_ids } = report.turn_tokenisation_trap
  const tokenizer = openTokenizer(golden('checkpoints/base_f32'))
  expect((turn_texts as string[]).map((text) => Array.from(tokenizer.encode(text)))).toEqual(per_turn_ids)
  expect(Array.from(tokenizer.encode((turn_texts as string[]).join('')))).toEqual(concatenated_string_ids)
  const trajectory: Trajectory = {
    id: 'trap',
    group: 'trap',
    reward: 1,
    terminated: true,
    truncated: false,
    turns: [
      { role: 'user', token_ids: [9] },
      ...(per_turn_ids as number[][]).map((token_ids) => ({ role: 'assistant' as const, token_ids })),
    ],
  }
  const laid = creditBatch([trajectory], [broadcast(trajectory, 1)], 'sum', 'trap', limits)
  expect(laid.rows[0]!.completionIds).toEqual((per_turn_ids as number[][]).flat())
  expect(laid.rows[0]!.completionIds).not.toEqual(concatenated_string_ids)
  expect(partsOf(laid.positions, byTurn).map(({ name, positions }) => [name, positions.length])).toEqual([
    ['trap/turn 1', per_turn_ids[0].length],
    ['trap/turn 2', per_turn_ids[1].length],
  ])
  expect(partsOf(laid.positions, byRollout)).toHaveLength(1)
})
