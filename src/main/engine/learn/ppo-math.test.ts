import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NonFinite } from '../optim/non-finite.ts'
import { bradleyTerry, bradleyTerryLoss, criticLoss, ppoActorLoss } from './ppo-math.ts'

const json = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../test/golden/${name}`, import.meta.url), 'utf8'))

interface LossCase {
  name: string
  epsilon: number
  current_logprobs: number[][]
  old_logprobs: number[][]
  advantages: number[][]
  values: number[][]
  returns: number[][]
  mask: number[][]
  ratios: number[][]
  gradient_is_zero_by_clipping: boolean[][]
  wrong_token_mean_actor_loss_f64: number
  actor_loss_f64: number
  critic_loss_f64: number
  actor_grad_f64: number[][]
  critic_grad_f64: number[][]
}
const losses = json('ppo/losses.json').cases as LossCase[]

function close(actual: number, expected: number, tolerance = 1e-12) {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(expected)))
}
function closeRows(actual: readonly (readonly number[])[], expected: readonly (readonly number[])[]) {
  expect(actual.map((row) => row.length)).toEqual(expected.map((row) => row.length))
  expected.forEach((row, i) => {
    row.forEach((value, t) => {
      close(actual[i]![t]!, value)
    })
  })
}

describe('actor and critic loss', () => {
  for (const expected of losses) {
    it(expected.name, () => {
      const { mask } = expected
      const actor = ppoActorLoss(
        expected.current_logprobs,
        expected.old_logprobs,
        expected.advantages,
        mask,
        expected.epsilon,
      )
      close(actor.loss, expected.actor_loss_f64)
      closeRows(actor.gradient, expected.actor_grad_f64)
      closeRows(actor.ratios, expected.ratios)
      expected.gradient_is_zero_by_clipping.forEach((row, i) => {
        row.forEach((zero, t) => {
          if (mask[i]![t]) expect(actor.gradient[i]![t] === 0).toBe(zero)
        })
      })
      close(actor.responseLosses.reduce((sum, value) => sum + value, 0) / mask.length, expected.actor_loss_f64)
      const critic = criticLoss(expected.values, expected.returns, mask, 0.5)
      close(critic.loss, expected.critic_loss_f64)
      closeRows(critic.gradient, expected.critic_grad_f64)
    })
  }

  it('two responses of different length: response mean, not token mean', () => {
    const padded = losses.find(({ name }) => name === 'padded_left_1')!
    const mine = ppoActorLoss(padded.current_logprobs, padded.old_logprobs, padded.advantages, padded.mask, 0.2).loss
    expect(Math.abs(mine - padded.wrong_token_mean_actor_loss_f64)).toBeGreaterThan(0.1)
    // By hand: ratios 1, advantages 1 | 1, 1, 4: response means 1 and 2, so -1.5; the token mean would be -1.75.
    const zeros = [[0], [0, 0, 0]]
    const ones = [[1], [1, 1, 1]]
    expect(ppoActorLoss(zeros, zeros, [[1], [1, 1, 4]], ones, 0.2).loss).toBe(-1.5)
  })

  it('with unchanged log-probs every ratio is 1, nothing is clipped and the gradient is the policy gradient', () => {
    const old = [[-1.25, -0.5], [-3]]
    const { ratios, clipFraction, gradient } = ppoActorLoss(old, old, [[2, -1], [3]], [[1, 1], [1]], 0.2)
    expect(ratios).toEqual([[1, 1], [1]])
    expect(clipFraction).toBe(0)
    expect(gradient).toEqual([[-0.5, 0.25], [-1.5]])
  })

  it('NaN behind the mask changes nothing; NaN under it stops the run and is named', () => {
    const mask = [[1, 0]]
    const dirty = [[-1, Number.NaN]]
    const clean = ppoActorLoss([[-1, 0]], [[-1, 0]], [[2, 0]], mask, 0.2)
    expect(ppoActorLoss(dirty, dirty, [[2, Number.NaN]], mask, 0.2)).toEqual(clean)
    expect(criticLoss([[1, Number.NaN]], [[0, Number.POSITIVE_INFINITY]], mask, 0.5)).toEqual({
      loss: 0.5,
      responseLosses: [0.5],
      gradient: [[1, 0]],
    })
    expect(() => ppoActorLoss(dirty, [[-1, -1]], [[1, 1]], [[1, 1]], 0.2)).toThrow(
      'current_logprobs is NaN at response 0, token 1',
    )
    expect(() => criticLoss([[0, 0]], [[0, Number.NaN]], [[1, 1]], 0.5)).toThrow(
      'returns is NaN at response 0, token 1',
    )
    expect(() => ppoActorLoss([[900]], [[-900]], [[-1]], [[1]], 0.2)).toThrow('ratio is Infinity')
  })

  it('a response without active tokens is refused, never counted as zero', () => {
    expect(() => criticLoss([[1]], [[1]], [[0]], 0.5)).toThrow('response 0 has no active token')
    expect(() => criticLoss([], [], [], 0.5)).toThrow(RangeError)
    expect(() => criticLoss([[1, 2]], [[1]], [[1, 1]], 0.5)).toThrow('returns of response 0')
  })

  const token = fc.record({
    current: fc.double({ min: -3, max: 0, noNaN: true }),
    old: fc.double({ min: -3, max: 0, noNaN: true }),
    advantage: fc.double({ min: -2, max: 2, noNaN: true }),
  })
  const batch = fc.array(fc.array(token, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 })
  type Token = { current: number; old: number; advantage: number }
  const actorOf = (rows: readonly (readonly Token[])[], mask: readonly (readonly number[])[]) =>
    ppoActorLoss(
      rows.map((row) => row.map(({ current }) => current)),
      rows.map((row) => row.map(({ old }) => old)),
      rows.map((row) => row.map(({ advantage }) => advantage)),
      mask,
      0.2,
    )
  it('padding on either side changes neither loss nor gradient', () => {
    const filler = { current: 7, old: -700, advantage: Number.NaN }
    fc.assert(
      fc.property(batch, fc.nat(3), fc.nat(3), (rows, left, right) => {
        const plain = actorOf(
          rows,
          rows.map((row) => row.map(() => 1)),
        )
        const pad = <T>(row: readonly T[], value: T) => [
          ...new Array<T>(left).fill(value),
          ...row,
          ...new Array<T>(right).fill(value),
        ]
        const padded = actorOf(
          rows.map((row) => pad(row, filler)),
          rows.map((row) =>
            pad(
              row.map(() => 1),
              0,
            ),
          ),
        )
        expect(padded.loss).toBe(plain.loss)
        expect(padded.gradient).toEqual(plain.gradient.map((row) => pad(row, 0)))
        expect(padded.clipFraction).toBe(plain.clipFraction)
      }),
    )
  })
  it('the order of responses in the batch does not matter', () => {
    fc.assert(
      fc.property(batch, (rows) => {
        const ones = (all: readonly (readonly Token[])[]) => all.map((row) => row.map(() => 1))
        const turned = rows.toReversed()
        close(actorOf(turned, ones(turned)).loss, actorOf(rows, ones(rows)).loss)
      }),
    )
  })
  it('the gradient is the slope of the loss wherever the loss is smooth', () => {
    fc.assert(
      fc.property(token, ({ current, old, advantage }) => {
        const ratio = Math.exp(current - old)
        fc.pre(Math.abs(ratio - 0.8) > 1e-3 && Math.abs(ratio - 1.2) > 1e-3)
        const at = (x: number) => ppoActorLoss([[x]], [[old]], [[advantage]], [[1]], 0.2)
        const slope = (at(current + 1e-6).loss - at(current - 1e-6).loss) / 2e-6
        expect(Math.abs(slope - at(current).gradient[0]![0]!)).toBeLessThan(1e-6 * (1 + ratio))
      }),
    )
  })
})

describe('Bradley-Terry', () => {
  const table = json('reward/bt_scalar.json').table as { margin: number; loss: number; dloss_dmargin: number }[]
  for (const { margin, loss, dloss_dmargin } of table) {
    it(`margin ${margin}`, () => {
      const pair = bradleyTerry(margin)
      // Relative, so that the tiny losses of large margins are judged too.
      expect(Math.abs(pair.loss - loss)).toBeLessThanOrEqual(1e-12 * Math.abs(loss))
      expect(Math.abs(pair.slope - dloss_dmargin)).toBeLessThanOrEqual(1e-12 * Math.abs(dloss_dmargin))
      const whole = bradleyTerryLoss([margin, 0], [0, margin])
      close(whole.loss, (loss + bradleyTerry(-margin).loss) / 2)
      close(whole.chosenGradient[0]!, dloss_dmargin / 2)
      close(whole.rejectedGradient[0]!, -dloss_dmargin / 2)
    })
  }
  it('a shift common to both scores changes nothing, so a shared bias has no gradient', () => {
    const { chosenGradient, rejectedGradient } = bradleyTerryLoss([3, -1, 80], [1, 2, -80])
    chosenGradient.forEach((value, i) => {
      expect(value + rejectedGradient[i]!).toBe(0)
    })
  })
  it('refuses no pairs and names a score that is not finite', () => {
    expect(() => bradleyTerryLoss([], [])).toThrow(RangeError)
    expect(() => bradleyTerryLoss([1, Number.NaN], [0, 0])).toThrow(NonFinite)
  })
})
