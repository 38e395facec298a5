/**
 * The audit of multi-turn rollouts on a golden checkpoint: what padding, order and observations may not change, how rows
 * stand in a batch, and what an unusual batch or adapter does.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CreditAudit } from '../../../../shared/credit-audit.ts'
import type { Trajectory, Turn } from '../../../../shared/trajectory.ts'
import { openBase } from '../../checkpoint/hf-folder.ts'
import { tensorOf } from '../../checkpoint/learned-state.ts'
import { freshRole, type Role } from '../../learn/role.ts'
import { layOutBatch, shapeFor } from '../../nn/batch.ts'
import { Model } from '../../nn/model.ts'
import { FrozenWeights } from '../../nn/weights.ts'
import { TorchRandom } from '../../random/torch-random.ts'
import { resolveDevice } from '../../runtime/device.ts'
import { groupAdvantages } from '../group-advantages.ts'
import { trainedRow } from '../trained-row.ts'
import { auditCredit } from './audit.ts'
import { broadcast, creditBatch } from './credit-batch.ts'
import { disintegrate, tokenShares } from './disintegrate.ts'
import { byRollout, bySegment, byTurn, partsOf, segmentsOf } from './partition.ts'
import { PolicyGradient, policyParameters } from './policy-gradient.ts'
import { dot } from './vectors.ts'

const base = openBase(new URL('../../../../../test/golden/checkpoints/base_f32', import.meta.url).pathname)
const device = resolveDevice('cpu', 1)
const weights = new FrozenWeights(base)
const model = new Model(weights, { device, float: 'float64' })
const float32 = new Model(weights, { device })
const limits = { vocabSize: base.config.vocabSize, maxPositions: base.config.maxPositions }

const drawnRole = (head: 'none' | 'score' = 'none'): Role => {
  const role = freshRole(base, { rank: 4, alpha: 8, head, seed: 5 })
  const random = new TorchRandom(6)
  for (const { name } of role.state.specs)
    if (name.endsWith('.lora_B')) random.normal(tensorOf(role.state, name), 0, 0.05)
  return role
}
const role = drawnRole()

const said = (...token_ids: number[]): Turn => ({ role: 'assistant', token_ids })
const seen = (...token_ids: number[]): Turn => ({ role: 'tool', token_ids })
const asked = (...token_ids: number[]): Turn => ({ role: 'user', token_ids })
const rollout = (id: string, group: string, reward: number, ...turns: Turn[]): Trajectory => ({
  id,
  group,
  reward,
  terminated: true,
  truncated: false,
  turns,
})
const rollouts = [
  rollout('a0', 'a', 1, asked(5, 6, 7), said(20, 21), seen(40, 41, 42), said(22, 23, 24)),
  rollout('a1', 'a', 0, asked(5, 6, 7), said(25), seen(43), said(26, 27), seen(44, 45), said(28)),
  rollout('a2', 'a', 0.5, asked(5, 6, 7), said(29, 30, 31, 32)),
  rollout('b0', 'b', 0, asked(8, 9, 10, 11, 12), said(33, 34), seen(46), said(35)),
  rollout('b1', 'b', 2, asked(8, 9, 10, 11, 12), said(36)),
]
const batchOf = (trajectories: readonly Trajectory[], reduction: 'sum' | 'response-mean' = 'sum') => {
  const advantages = groupAdvantages(trajectories)
  const spread = trajectories.map((trajectory, k) => broadcast(trajectory, advantages[k]!))
  return creditBatch(trajectories, spread, reduction, 'rollouts.jsonl', limits)
}
const audit = (trajectories: readonly Trajectory[], partition: 'rollout' | 'turn' | 'token', of = role) => {
  const advantages = groupAdvantages(trajectories)
  return auditCredit(float32, of, {
    trajectories,
    advantages: trajectories.map((trajectory, k) => broadcast(trajectory, advantages[k]!)),
    advantagesFrom: 'GRPO',
    file: 'rollouts.jsonl',
    partition,
    dtype: 'float64',
    reduction: 'sum',
  }) as Promise<CreditAudit>
}
/** Shares by name: what may not depend on how rows are laid out. */
const byName = ({ parts }: Pick<CreditAudit, 'parts'>) =>
  Object.fromEntries(parts.map(({ name, projected_share }) => [name, projected_share]))
const expectSame = (one: Record<string, number>, other: Record<string, number>, within = 1e-12) => {
  expect(Object.keys(one).sort()).toEqual(Object.keys(other).sort())
  for (const [name, share] of Object.entries(one)) expect(Math.abs(share - other[name]!)).toBeLessThan(within)
}
const expectClose = (one: Float64Array, other: Float64Array) => {
  expect(one).toHaveLength(other.length)
  expect(Math.max(...one.map((share, i) => Math.abs(share - other[i]!)))).toBeLessThan(1e-12)
}

describe('what may change nothing', () => {
  test('padding: wider columns, other rows beside', async () => {
    const batch = batchOf(rollouts)
    const turns = partsOf(batch.positions, byTurn)
    const plain = await disintegrate(new PolicyGradient(model, role, batch), turns)
    const padded = await disintegrate(new PolicyGradient(model, role, batch, { prompt: 32, response: 40 }), turns)
    expectSame(byName(plain), byName(padded))
    expect(Math.abs(plain.full_norm / padded.full_norm - 1)).toBeLessThan(1e-13)
    const tokens = await tokenShares(new PolicyGradient(model, role, batch))
    const paddedTokens = await tokenShares(new PolicyGradient(model, role, batch, { prompt: 32, response: 40 }))
    expectClose(tokens.shares, paddedTokens.shares)
  })

  test('the order of rows and groups', async () => {
    const plain = byName(await audit(rollouts, 'turn'))
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(rollouts, { minLength: rollouts.length, maxLength: rollouts.length }),
        async (shuffled) => {
          expectSame(plain, byName(await audit(shuffled, 'turn')))
        },
      ),
      { numRuns: 6 },
    )
  })

  test('the text of observations changes no number of positions, no part and no advantage', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(500), { maxLength: 12 }), { minLength: 4, maxLength: 4 }), (texts) => {
        let next = 0
        const changed = rollouts.map((one) => ({
          ...one,
          turns: one.turns.map((turn) => (turn.role === 'tool' ? { ...turn, token_ids: texts[next++ % 4]! } : turn)),
        }))
        const facts = (batch: ReturnType<typeof batchOf>) =>
          batch.positions.map(({ column: _, ...position }) => position)
        expect(facts(batchOf(changed))).toEqual(facts(batchOf(rollouts)))
        for (const { actionMask, places } of batchOf(changed).rows)
          expect(actionMask.filter(Boolean)).toHaveLength(places.length)
      }),
    )
  })

  test('an observation after the last action: not a bit', async () => {
    const trailing = rollouts.map((one) => ({ ...one, turns: [...one.turns, seen(47, 48, 49)] }))
    expect(await audit(trailing, 'turn')).toEqual(await audit(rollouts, 'turn'))
  })

  test('how many rows a pass takes', async () => {
    const batch = batchOf(rollouts)
    const parts = partsOf(batch.positions, ({ turn }) => (turn === 1 ? 'first answer' : 'later'))
    const whole = await disintegrate(new PolicyGradient(model, role, batch), parts)
    const pairs = new PolicyGradient(model, role, batch, { batch: 2 })
    const cut = await disintegrate(pairs, parts)
    expect(whole.backward_passes).toBe(3)
    // Five rows in three passes; three of them have a later answer, in two.
    expect(cut.backward_passes).toBe(3 + 3 + 2)
    expectSame(byName(whole), byName(cut))
    expect(cut.conservation_error).toBeLessThan(1e-15)
    const [tokens, cutTokens] = [await tokenShares(new PolicyGradient(model, role, batch)), await tokenShares(pairs)]
    expect(cutTokens.forward_mode_passes).toBe(3)
    expectClose(tokens.shares, cutTokens.shares)
  })
})

test('a multi-turn row in a batch: positions count from its own first token, pads are not attended to, observations not trained', () => {
  const rows = rollouts.slice(0, 4).map((one) => trainedRow(one, 'f'))
  const { feeds, shape } = layOutBatch(rows, shapeFor(rows, 4))
  const time = shape.prompt + shape.response
  rows.forEach((row, b) => {
    const length = row.promptIds.length + row.completionIds.length
    const start = b * time + shape.prompt - row.promptIds.length
    const at = (name: 'input_ids' | 'position_ids' | 'attention_mask') =>
      Array.from(feeds[name].data as BigInt64Array, Number).slice(start, start + length)
    expect(at('position_ids')).toEqual(Array.from({ length }, (_, i) => i))
    expect(at('input_ids')).toEqual([...row.promptIds, ...row.completionIds])
    const attention = Array.from(feeds.attention_mask.data as Uint8Array).slice(b * time, (b + 1) * time)
    expect(attention.reduce((sum, bit) => sum + bit, 0)).toBe(length)
    expect(attention.slice(start - b * time, start - b * time + length)).toEqual(new Array(length).fill(1))
    const trained = Array.from(feeds.response_mask.data as Uint8Array).slice(
      b * shape.response,
      (b + 1) * shape.response,
    )
    expect(trained.slice(0, row.completionIds.length)).toEqual(row.actionMask.map(Number))
    expect(trained.slice(row.completionIds.length).every((bit) => bit === 0)).toBe(true)
  })
})

describe('reductions', () => {
  test('response-mean weighs a token by 1/(K·T_k)', () => {
    const [summed, mean] = [batchOf(rollouts), batchOf(rollouts, 'response-mean')]
    mean.positions.forEach(({ rollout: k, coefficient }, i) => {
      const tokens = mean.rows[k]!.places.length
      expect(coefficient).toBeCloseTo(summed.positions[i]!.coefficient / (5 * tokens), 15)
    })
  })

  test('advantages of one’s own, one a token', async () => {
    const [one] = [rollouts[0]!]
    const batch = creditBatch([one], [[0, 0, 0, 0, 3]], 'sum', 'f', limits)
    const read = await disintegrate(new PolicyGradient(model, role, batch), partsOf(batch.positions, byTurn))
    expect(read.parts).toMatchObject([
      { name: 'a0/turn 1', projected_share: 0, norm_share: 0 },
      { name: 'a0/turn 3', positions: 3, projected_share: 1, norm_share: 1 },
    ])
    expect(() => creditBatch([one], [[1, 2]], 'sum', 'f', limits)).toThrow(/f: has 2 advantages for 5 assistant tokens/)
  })
})

describe('segments', () => {
  const compacted = (...segments: (number | undefined)[]): Trajectory =>
    rollout(
      'c',
      'c',
      1,
      asked(1),
      ...segments.map((segment, i) => ({ ...said(20 + i), ...(segment === undefined ? {} : { segment }) })),
    )
  const names = (one: Trajectory) =>
    partsOf(creditBatch([one], [broadcast(one, 1)], 'sum', 'f', limits).positions, bySegment).map(({ name }) => name)

  test('are the numbers that turns record, else the stretches between observations', () => {
    expect(names(compacted(0, 0, 4))).toEqual(['c/segment 0', 'c/segment 4'])
    expect(names(compacted(undefined, undefined))).toEqual(['c/segment 0'])
    expect(names(rollouts[1]!)).toEqual(['a1/segment 0', 'a1/segment 1', 'a1/segment 2'])
    expect(segmentsOf(rollouts[0]!, 'f')).toEqual([0, 0, 0, 1])
  })

  test('half recorded are refused, naming row and turn', () => {
    expect(() => names(compacted(0, undefined))).toThrow(/turns\[2\] has no segment.*row c/)
  })
})

describe('unusual adapters and batches', () => {
  test('a fresh adapter, B = 0: the gradient lives in B alone, and adds up', async () => {
    const fresh = freshRole(base, { rank: 4, alpha: 8, head: 'none', seed: 1 })
    const batch = batchOf(rollouts)
    const source = new PolicyGradient(model, fresh, batch)
    const full = source.buffer()
    await source.full(full)
    const squares = (suffix: string) =>
      full.specs.reduce((sum, { name, offset, size }) => {
        const values = Float64Array.from(full.data.subarray(offset, offset + size))
        return name.endsWith(suffix) ? sum + dot(values, values) : sum
      }, 0)
    expect(squares('lora_A')).toBe(0)
    expect(squares('lora_B')).toBeGreaterThan(0)
    expect((await audit(rollouts, 'rollout', fresh)).conservation_error).toBeLessThan(1e-15)
  })

  test('a scalar head beside the policy is no part of it', async () => {
    const headed = drawnRole('score')
    expect(policyParameters(headed).state.data).toHaveLength(role.state.data.length)
    expect(byName(await audit(rollouts, 'rollout', headed))).toEqual(byName(await audit(rollouts, 'rollout')))
  })

  test('advantages of zero are a refusal with numbers and a remedy', async () => {
    const equal = rollouts.map((one) => ({ ...one, reward: 1 }))
    for (const partition of ['rollout', 'token'] as const)
      expect(await audit(equal, partition)).toMatchObject({
        verdict: 'refused',
        reason: expect.stringMatching(/every advantage is zero/),
        numbers: { full_norm: 0, trained_positions: 17, positions_with_credit: 0 },
        remedy: expect.stringMatching(/rewards differ/),
        backward_passes: 1,
      })
  })

  test('an id outside the vocabulary and a row past the last position are refused by row', () => {
    const alien = rollout('x', 'x', 1, asked(1), said(base.config.vocabSize))
    expect(() => batchOf([alien])).toThrow(/token id \d+ is outside .*row x/)
    const long = rollout('y', 'y', 1, asked(1), said(...new Array<number>(base.config.maxPositions).fill(3)))
    expect(() => batchOf([long])).toThrow(/positions.*row y/)
  })

  test('one rollout has the whole credit', async () => {
    const alone = [rollouts[0]!]
    const spread = [broadcast(alone[0]!, 1)]
    const batch = creditBatch(alone, spread, 'sum', 'f', limits)
    const read = await disintegrate(new PolicyGradient(model, role, batch), partsOf(batch.positions, byRollout))
    expect(read).toMatchObject({ projected_share_sum: 1, cancellation: 1, conservation_error: 0 })
  })
})
