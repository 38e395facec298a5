/** Losses of group policy optimisation and direct preference optimisation against PyTorch's (test/golden/group). */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openBase } from '../checkpoint/hf-folder.ts'
import { emptyState, type LearnedState } from '../checkpoint/learned-state.ts'
import { loraSpecs } from '../checkpoint/lora-layout.ts'
import { readSafetensorsHeader, readTensor } from '../checkpoint/safetensors.ts'
import { layOutBatch, perToken, shapeFor, type TokenRow } from '../nn/batch.ts'
import { dpoObjective, groupObjective } from '../nn/group-objectives.ts'
import { Model } from '../nn/model.ts'
import { FrozenWeights } from '../nn/weights.ts'
import { resolveDevice } from '../runtime/device.ts'
import { tensor } from '../runtime/session.ts'
import { dpoLoss, groupLoss, referenceDivergence } from './group-math.ts'
import { ppoActorLoss } from './ppo-math.ts'

const path = (name: string) => new URL(`../../../../test/golden/${name}`, import.meta.url).pathname
const json = (name: string) => JSON.parse(readFileSync(path(name), 'utf8'))

interface GroupCase {
  name: string
  epsilon: number
  kl_coefficient: number
  current: number[][]
  old: number[][]
  reference: number[][]
  advantages: number[][]
  mask: number[][]
  loss: number
  gradient: number[][]
}
interface DpoCase {
  name: string
  beta: number
  chosen: number[]
  rejected: number[]
  reference: { chosen: number[]; rejected: number[] }
  loss: number
  chosen_gradient: number[]
}
const losses = json('group/losses.json') as { group: GroupCase[]; dpo: DpoCase[] }
const near = (got: readonly number[], wanted: readonly number[], tolerance: number) => {
  expect(got.length).toBe(wanted.length)
  wanted.forEach((value, i) => {
    expect(Math.abs(got[i]! - value)).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(value)))
  })
}
const lossOf = (c: GroupCase, current = c.current) =>
  groupLoss(current, c.old, c.reference, c.advantages, c.mask, {
    epsilon: c.epsilon,
    klCoefficient: c.kl_coefficient,
  })

describe.each(losses.group)('group loss, $name', (c) => {
  test('loss and gradient', () => {
    const got = lossOf(c)
    near([got.loss], [c.loss], 1e-12)
    near(got.gradient.flat(), c.gradient.flat(), 1e-12)
    near([got.responseLosses.reduce((sum, value) => sum + value, 0) / c.current.length], [c.loss], 1e-12)
  })

  test('the gradient is what moving one log-probability changes', () => {
    const { gradient } = lossOf(c)
    const step = 1e-6
    c.current.forEach((row, i) => {
      row.forEach((_, t) => {
        const at = (s: number) => lossOf(c, c.current.with(i, row.with(t, row[t]! + s))).loss
        // A clip that binds within the step has a kink there.
        const ratio = Math.exp(row[t]! - c.old[i]![t]!)
        if (Math.min(Math.abs(ratio - 1 - c.epsilon), Math.abs(ratio - 1 + c.epsilon)) < 1e-4) return
        expect(Math.abs((at(step) - at(-step)) / (2 * step) - gradient[i]![t]!)).toBeLessThan(1e-7)
      })
    })
  })
})

test('without a coefficient the group loss is the clipped surrogate alone', () => {
  const c = losses.group[0]!
  const policy = ppoActorLoss(c.current, c.old, c.advantages, c.mask, c.epsilon)
  const got = lossOf({ ...c, kl_coefficient: 0 })
  expect(got.loss).toBe(policy.loss)
  expect(got.gradient).toEqual(policy.gradient)
})

test('k3 is never negative and its mean over samples of the policy is the divergence', () => {
  fc.assert(
    fc.property(fc.double({ min: -20, max: 0, noNaN: true }), fc.double({ min: -20, max: 0, noNaN: true }), (p, q) => {
      expect(referenceDivergence([[p]], [[q]], [[1]]).loss).toBeGreaterThanOrEqual(0)
    }),
  )
  const [p, q] = [
    [0.5, 0.3, 0.2],
    [0.2, 0.2, 0.6],
  ]
  const expected = p!.reduce(
    (sum, share, v) => sum + share * referenceDivergence([[Math.log(share)]], [[Math.log(q![v]!)]], [[1]]).loss,
    0,
  )
  const divergence = p!.reduce((sum, share, v) => sum + share * Math.log(share / q![v]!), 0)
  expect(expected).toBeCloseTo(divergence, 12)
})

test.each(losses.dpo)('direct preference loss, $name', (c) => {
  const got = dpoLoss(c.chosen, c.rejected, c.reference, c.beta)
  near([got.loss], [c.loss], 1e-12)
  near(got.chosenGradient, c.chosen_gradient, 1e-12)
})

// ---- through the model -----------------------------------------------------------------------------------------------

const base = openBase(path('checkpoints/base_f32'))
const steps = json('group/steps.json')
const adapters = readSafetensorsHeader(path('datc/models.safetensors'))
const actor = emptyState(loraSpecs(base.config, 8, { head: false }))
for (const spec of actor.specs) actor.data.set(readTensor(adapters, `actor.${spec.name}`) as Float32Array, spec.offset)
const layout = { specs: actor.specs, loraScale: 2 }

function goldenGradient(file: string, like: LearnedState): Float32Array {
  const header = readSafetensorsHeader(path(`group/${file}`))
  const data = new Float32Array(like.data.length)
  for (const spec of like.specs) data.set(readTensor(header, spec.name) as Float32Array, spec.offset)
  return data
}
const relative = (got: ArrayLike<number>, wanted: ArrayLike<number>) => {
  let [difference, norm] = [0, 0]
  for (let i = 0; i < wanted.length; i++) {
    difference += (got[i]! - wanted[i]!) ** 2
    norm += wanted[i]! ** 2
  }
  return Math.sqrt(difference / norm)
}

describe.each(['float32', 'float64'] as const)('through the model, %s', (float) => {
  const model = new Model(new FrozenWeights(base), { device: resolveDevice('cpu', 2), float })
  const buffer = () => ({
    specs: actor.specs,
    data: float === 'float32' ? new Float32Array(actor.data.length) : new Float64Array(actor.data.length),
  })

  test('group gradient; padding and observations add nothing', async () => {
    const { prompt_ids: promptIds, rows, epsilon, kl_coefficient: beta, loss } = steps.group
    const token = (rows as { response_ids: number[]; mask: number[] }[]).map(
      (row): TokenRow => ({
        promptIds,
        completionIds: row.response_ids,
        actionMask: row.mask.map((value) => value === 1),
      }),
    )
    const shape = { ...shapeFor(token, token.length + 1), response: 24 }
    const list = (name: string) =>
      perToken(
        rows.map((row: Record<string, number[]>) => row[name]),
        shape,
      )
    const gradient = buffer()
    const weights = rows.map(({ mask }: { mask: number[] }) => {
      const active = mask.filter((value) => value === 1).length
      return mask.map(() => 1 / (active * rows.length))
    })
    const result = await model.evaluate(
      'group',
      groupObjective(epsilon, beta),
      layout,
      actor,
      layOutBatch(token, shape),
      {
        old_log_probs: list('old'),
        reference_log_probs: list('reference'),
        advantages: list('advantages'),
        weights: perToken(weights, shape),
      },
      gradient,
    )
    expect(Math.abs(result.loss![0]! - loss)).toBeLessThan(1e-5)
    expect(relative(gradient.data, goldenGradient('group_gradient.safetensors', actor))).toBeLessThan(1e-4)
  })

  test('direct preference gradient', async () => {
    const { pairs } = json('reward/bt_pairs.json')
    const { dpo } = steps
    const side = (name: 'chosen' | 'rejected') =>
      pairs.map((pair: Record<string, { input_ids: number[]; prompt_tokens: number; response_tokens: number }>) => {
        const { input_ids: ids, prompt_tokens: at, response_tokens: length } = pair[name]!
        return { promptIds: ids.slice(0, at), completionIds: ids.slice(at, at + length) }
      })
    const rows: TokenRow[] = [...side('chosen'), ...side('rejected')]
    const gradient = buffer()
    const result = await model.evaluate(
      'dpo',
      dpoObjective(dpo.beta),
      layout,
      actor,
      layOutBatch(rows, shapeFor(rows, rows.length)),
      {
        reference_sums: tensor('float32', Float32Array.from([...dpo.reference_chosen, ...dpo.reference_rejected]), [
          rows.length,
        ]),
        pair_weights: tensor('float32', new Float32Array(pairs.length).fill(1 / pairs.length), [pairs.length]),
      },
      gradient,
    )
    expect(Math.abs(result.loss![0]! - dpo.loss)).toBeLessThan(1e-5)
    expect(relative(gradient.data, goldenGradient('dpo_gradient.safetensors', actor))).toBeLessThan(1e-4)
  })
})
