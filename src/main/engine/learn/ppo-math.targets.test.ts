import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NonFinite } from '../optim/non-finite.ts'
import {
  criticLoss,
  fixedPpoTargets,
  generalisedAdvantages,
  ppoActorLoss,
  sampledLogRatio,
  tokenRewards,
} from './ppo-math.ts'

const json = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../test/golden/${name}`, import.meta.url), 'utf8'))

interface TargetCase {
  name: string
  old_logprobs: number[]
  ref_logprobs: number[]
  values: number[]
  score: number
  truncated: boolean
  beta: number
  gamma: number
  lambda: number
  truncation_penalty: number
  token_rewards: number[]
  deltas: number[]
  advantages: number[]
  returns: number[]
}
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

describe('token rewards, advantages and returns', () => {
  for (const expected of json('ppo/targets.json').cases as TargetCase[]) {
    it(expected.name, () => {
      const targets = fixedPpoTargets(
        {
          old_token_logprobs: expected.old_logprobs,
          reference_token_logprobs: expected.ref_logprobs,
          values: expected.values,
          learned_reward_score: expected.score,
          finish_reason: expected.truncated ? 'length' : 'eos',
        },
        {
          kl_coefficient: expected.beta,
          gamma: expected.gamma,
          gae_lambda: expected.lambda,
          truncation_penalty: expected.truncation_penalty,
        },
      )
      closeRows(
        [targets.token_rewards, targets.advantages, targets.returns],
        [expected.token_rewards, expected.advantages, expected.returns],
      )
      const { deltas } = generalisedAdvantages(targets.token_rewards, expected.values, expected.gamma, expected.lambda)
      closeRows([deltas], [expected.deltas])
      const { judge, kl, truncation } = targets.reward_parts
      close(
        judge + kl + truncation,
        targets.token_rewards.reduce((sum, value) => sum + value, 0),
      )
    })
  }

  const config = { kl_coefficient: 0.02, truncation_penalty: -1, gamma: 1, gae_lambda: 0.95 }
  const rollout = (length: number, finish_reason: 'eos' | 'length') => ({
    old_token_logprobs: new Array<number>(length).fill(-1),
    reference_token_logprobs: new Array<number>(length).fill(-1),
    values: new Array<number>(length).fill(0),
    learned_reward_score: 2,
    finish_reason,
  })
  it('of five tokens stopped by length and nine ended by EOS, only the first is truncated', () => {
    expect(fixedPpoTargets(rollout(5, 'length'), config).token_rewards.at(-1)).toBe(1)
    expect(fixedPpoTargets(rollout(9, 'eos'), config).token_rewards.at(-1)).toBe(2)
  })
  it('the score enters once, at the last token', () => {
    const { token_rewards } = fixedPpoTargets(rollout(6, 'eos'), config)
    expect(token_rewards.map(Math.abs)).toEqual([0, 0, 0, 0, 0, 2])
  })
  it('with lambda 1 and gamma 1 the return of a token is the sum of the rewards from it on', () => {
    const numbers = fc.double({ min: -5, max: 5, noNaN: true })
    fc.assert(
      fc.property(fc.array(fc.tuple(numbers, numbers), { minLength: 1, maxLength: 40 }), (rows) => {
        const rewards = rows.map(([reward]) => reward)
        const { returns, deltas } = generalisedAdvantages(
          rewards,
          rows.map(([, value]) => value),
          1,
          1,
        )
        let suffix = 0
        for (let t = rewards.length - 1; t >= 0; t--) {
          suffix += rewards[t]!
          close(returns[t]!, suffix, 1e-11)
        }
        // The deltas telescope to the return minus the first value.
        close(deltas.reduce((sum, value) => sum + value, 0) + rows[0]![1], suffix, 1e-11)
      }),
    )
  })
  it('a log-prob or score that is not finite stops the run and is named with its token', () => {
    const bad = { ...rollout(3, 'eos'), reference_token_logprobs: [-1, Number.NEGATIVE_INFINITY, -1] }
    expect(() => tokenRewards(bad, config)).toThrow('reference_token_logprobs is -Infinity at token 1')
    expect(() => tokenRewards({ ...rollout(3, 'eos'), learned_reward_score: Number.NaN }, config)).toThrow(NonFinite)
    expect(() => fixedPpoTargets({ ...rollout(2, 'eos'), values: [0, Number.NaN] }, config)).toThrow(/values.*token 1/)
  })
  it('refuses rows of different lengths and empty responses', () => {
    expect(() => fixedPpoTargets({ ...rollout(3, 'eos'), values: [0] }, config)).toThrow(RangeError)
    expect(() => fixedPpoTargets(rollout(0, 'eos'), config)).toThrow(RangeError)
  })
  it('the sampled log-ratio can be negative', () => {
    expect(sampledLogRatio([-3, -2], [-1, -1])).toBe(-1.5)
  })
})

describe('a whole reference iteration, from its recorded numbers', () => {
  interface Run {
    name: string
    rollouts: (Pick<TargetCase, 'old_logprobs' | 'ref_logprobs' | 'values' | 'score'> & {
      token_rewards: number[]
      advantages: number[]
      returns: number[]
    })[]
    log: { epoch: number; actor_loss_per_response: number[]; critic_loss_per_response: number[]; ratios: number[][] }[]
  }
  const e2e = json('ppo/e2e.json') as { rows: { truncated: boolean }[]; runs: Run[] }
  const config = { kl_coefficient: 0.02, truncation_penalty: -1, gamma: 1, gae_lambda: 0.95 }
  for (const run of e2e.runs) {
    it(run.name, () => {
      const targets = run.rollouts.map((rollout, i) =>
        fixedPpoTargets(
          {
            old_token_logprobs: rollout.old_logprobs,
            reference_token_logprobs: rollout.ref_logprobs,
            values: rollout.values,
            learned_reward_score: rollout.score,
            finish_reason: e2e.rows[i]!.truncated ? 'length' : 'eos',
          },
          config,
        ),
      )
      closeRows(
        targets.flatMap(({ token_rewards, advantages, returns }) => [token_rewards, advantages, returns]),
        run.rollouts.flatMap(({ token_rewards, advantages, returns }) => [token_rewards, advantages, returns]),
      )
      const old = run.rollouts.map(({ old_logprobs }) => old_logprobs)
      for (const { ratios, actor_loss_per_response } of run.log) {
        const current = ratios.map((row, i) => row.map((ratio, t) => old[i]![t]! + Math.log(ratio)))
        const actor = ppoActorLoss(
          current,
          old,
          targets.map(({ advantages }) => advantages),
          old.map((row) => row.map(() => 1)),
          0.2,
        )
        closeRows([actor.responseLosses], [actor_loss_per_response])
      }
      const critic = criticLoss(
        run.rollouts.map(({ values }) => values),
        targets.map(({ returns }) => returns),
        old.map((row) => row.map(() => 1)),
        0.5,
      )
      closeRows([critic.responseLosses], [run.log[0]!.critic_loss_per_response])
    })
  }
  it('the KL part that is recorded is the one that was rewarded, also where it is negative', () => {
    for (const [i, { old_logprobs, ref_logprobs, values, score }] of e2e.runs[0]!.rollouts.entries()) {
      const { reward_parts, token_rewards } = fixedPpoTargets(
        {
          old_token_logprobs: old_logprobs,
          reference_token_logprobs: ref_logprobs,
          values,
          learned_reward_score: score,
          finish_reason: e2e.rows[i]!.truncated ? 'length' : 'eos',
        },
        config,
      )
      close(reward_parts.kl, -0.02 * old_logprobs.length * sampledLogRatio(old_logprobs, ref_logprobs))
      const used = token_rewards.reduce((sum, value) => sum + value, 0)
      close(reward_parts.kl, used - reward_parts.judge - reward_parts.truncation)
    }
  })
})
