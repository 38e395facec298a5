/**
 * The arithmetic of the study's PPO and reward learning, in float64 on plain arrays: token rewards, generalised
 * advantages, the clipped actor loss, the critic loss and the Bradley-Terry loss, each with its gradient.
 * Every loss is reduced by response mean, then batch mean. It knows nothing of models, tokens or files.
 */

import type { Rollout } from '../../../shared/stage.ts'
import type { PpoConfig } from '../../../shared/training-config.ts'
import { NonFinite } from '../optim/non-finite.ts'

/** The name of the reduction, recorded with every run. */
export const reduction = 'response mean, then batch mean'

/** One row a response, one number a position; rows may differ in length. */
export type Rows = readonly ArrayLike<number>[]
/** Non-zero or true marks an active position; anything behind the mask is never read. */
export type MaskRows = readonly ArrayLike<number | boolean>[]

export type PpoTargets = Pick<Rollout, 'token_rewards' | 'advantages' | 'returns' | 'reward_parts'>

/**
 * Per-token rewards of one response: `r_t = -beta (old_t - ref_t)`, at the last token plus the judge's score once,
 * and plus the truncation penalty when the sampler stopped by length. `reward_parts` sum to the token rewards.
 */
export function tokenRewards(
  rollout: Pick<Rollout, 'old_token_logprobs' | 'reference_token_logprobs' | 'learned_reward_score' | 'finish_reason'>,
  config: Pick<PpoConfig, 'kl_coefficient' | 'truncation_penalty'>,
): Pick<PpoTargets, 'token_rewards' | 'reward_parts'> {
  const { old_token_logprobs: old, reference_token_logprobs: reference, learned_reward_score: judge } = rollout
  sameLength('reference_token_logprobs', reference, old)
  if (old.length === 0) throw new RangeError('a response without tokens has no rewards')
  requireFinite('learned_reward_score', judge, 0)
  // A cut is what the sampler says it is; a short row may be truncated and a long one complete.
  const truncation = rollout.finish_reason === 'length' ? config.truncation_penalty : 0
  const token_rewards = old.map((value, t) => {
    requireFinite('old_token_logprobs', value, t)
    requireFinite('reference_token_logprobs', reference[t]!, t)
    return -config.kl_coefficient * (value - reference[t]!)
  })
  const kl = token_rewards.reduce((sum, value) => sum + value, 0)
  token_rewards[old.length - 1]! += judge + truncation
  return { token_rewards, reward_parts: { judge, kl, truncation } }
}

/**
 * Generalised advantage estimation over one response. Its last token ends the episode, by EOS and by truncation
 * alike: no value is read past it.
 *
 *     delta_t = r_t + gamma V_{t+1} - V_t,   A_t = delta_t + gamma lambda A_{t+1},   V_T = A_T = 0
 *     returns_t = A_t + V_t
 */
export function generalisedAdvantages(
  rewards: readonly number[],
  values: readonly number[],
  gamma: number,
  lambda: number,
): { deltas: number[]; advantages: number[]; returns: number[] } {
  sameLength('values', values, rewards)
  const length = rewards.length
  const deltas = new Array<number>(length)
  const advantages = new Array<number>(length)
  let nextValue = 0
  let nextAdvantage = 0
  for (let t = length - 1; t >= 0; t--) {
    requireFinite('token_rewards', rewards[t]!, t)
    requireFinite('values', values[t]!, t)
    deltas[t] = rewards[t]! + gamma * nextValue - values[t]!
    advantages[t] = deltas[t]! + gamma * lambda * nextAdvantage
    nextValue = values[t]!
    nextAdvantage = advantages[t]!
  }
  return { deltas, advantages, returns: advantages.map((advantage, t) => advantage + values[t]!) }
}

/** Everything PPO fixes about one response at sampling time; never recomputed while the rollout is reused. */
export function fixedPpoTargets(
  rollout: Parameters<typeof tokenRewards>[0] & Pick<Rollout, 'values'>,
  config: Pick<PpoConfig, 'kl_coefficient' | 'truncation_penalty' | 'gamma' | 'gae_lambda'>,
): PpoTargets {
  const { token_rewards, reward_parts } = tokenRewards(rollout, config)
  const { advantages, returns } = generalisedAdvantages(token_rewards, rollout.values, config.gamma, config.gae_lambda)
  return { token_rewards, advantages, returns, reward_parts }
}

/**
 * Mean over a response's tokens of `old_t - ref_t`, the log-ratio of actor and reference at the sampled tokens. It
 * estimates a divergence but is none: on a given sample it can be negative.
 */
export function sampledLogRatio(old: ArrayLike<number>, reference: ArrayLike<number>): number {
  sameLength('reference_token_logprobs', reference, old)
  if (old.length === 0) throw new RangeError('a response without tokens has no log-ratio')
  let sum = 0
  for (let t = 0; t < old.length; t++) {
    requireFinite('old_token_logprobs', old[t]!, t)
    requireFinite('reference_token_logprobs', reference[t]!, t)
    sum += old[t]! - reference[t]!
  }
  return sum / old.length
}

export interface ActorLoss {
  readonly loss: number
  /** Mean over the active tokens of each response; their mean is `loss`. */
  readonly responseLosses: readonly number[]
  /** d loss / d current log-prob; 0 behind the mask. */
  readonly gradient: readonly number[][]
  /** exp(current - old); 0 behind the mask. */
  readonly ratios: readonly number[][]
  /** Share of active tokens whose ratio lies outside [1 - epsilon, 1 + epsilon], whatever the advantage's sign. */
  readonly clipFraction: number
  readonly activeTokens: number
}

/**
 * PPO's clipped surrogate: `-mean_i mean_t min(rho A, clip(rho, 1-eps, 1+eps) A)`, `rho = exp(current - old)`.
 * The gradient is `-A rho / (T_i B)` where the unclipped branch is the minimum and 0 where the clip binds.
 * Throws NonFinite on an active number that is not finite (named with its response and token) and RangeError on a
 * response without active tokens.
 */
export function ppoActorLoss(current: Rows, old: Rows, advantages: Rows, mask: MaskRows, epsilon: number): ActorLoss {
  let outside = 0
  const ratios = current.map((row) => new Array<number>(row.length).fill(0))
  const reduced = responseMean(current, { old, advantages }, mask, (i, t) => {
    const advantage = activeNumber('advantages', advantages, i, t)
    const difference = activeNumber('current_logprobs', current, i, t) - activeNumber('old_logprobs', old, i, t)
    const ratio = Math.exp(difference)
    requireFinite('ratio', ratio, t, place(i, t))
    ratios[i]![t] = ratio
    const low = 1 - epsilon
    const high = 1 + epsilon
    if (ratio < low || ratio > high) outside++
    const value = -Math.min(ratio * advantage, Math.min(Math.max(ratio, low), high) * advantage)
    const binds = advantage >= 0 ? ratio > high : ratio < low
    return { value, slope: binds ? 0 : -advantage * ratio }
  })
  return { ...reduced, ratios, clipFraction: outside / reduced.activeTokens }
}

export interface CriticLoss {
  readonly loss: number
  readonly responseLosses: readonly number[]
  /** d loss / d value; 0 behind the mask. */
  readonly gradient: readonly number[][]
}

/** `coefficient mean_i mean_t (V - return)^2`; no value clipping and no second factor. Errors as `ppoActorLoss`. */
export function criticLoss(values: Rows, returns: Rows, mask: MaskRows, coefficient: number): CriticLoss {
  const { loss, responseLosses, gradient } = responseMean(values, { returns }, mask, (i, t) => {
    const error = activeNumber('values', values, i, t) - activeNumber('returns', returns, i, t)
    return { value: coefficient * error * error, slope: 2 * coefficient * error }
  })
  return { loss, responseLosses, gradient }
}

export interface BradleyTerryLoss {
  readonly loss: number
  readonly chosenGradient: readonly number[]
  readonly rejectedGradient: readonly number[]
}

/** `-mean log sigmoid(chosen - rejected)` over pairs. Throws NonFinite on a score that is not finite. */
export function bradleyTerryLoss(chosen: ArrayLike<number>, rejected: ArrayLike<number>): BradleyTerryLoss {
  sameLength('rejected scores', rejected, chosen)
  const pairs = chosen.length
  if (pairs === 0) throw new RangeError('the Bradley-Terry loss of no pairs is undefined')
  let sum = 0
  const chosenGradient = new Array<number>(pairs)
  for (let i = 0; i < pairs; i++) {
    requireFinite('chosen scores', chosen[i]!, i)
    requireFinite('rejected scores', rejected[i]!, i)
    const { loss, slope } = bradleyTerry(chosen[i]! - rejected[i]!)
    sum += loss
    chosenGradient[i] = slope / pairs
  }
  return { loss: sum / pairs, chosenGradient, rejectedGradient: chosenGradient.map((value) => -value) }
}

/** One pair's loss `softplus(-margin)` and its slope `-sigmoid(-margin)`, exact for margins of any size. */
export function bradleyTerry(margin: number): { loss: number; slope: number } {
  const tail = Math.exp(-Math.abs(margin))
  return {
    loss: Math.max(-margin, 0) + Math.log1p(tail),
    slope: -(margin >= 0 ? tail : 1) / (1 + tail),
  }
}

/** The one place that reduces: mean over each response's active tokens, then over responses. */
export function responseMean(
  shape: Rows,
  others: Readonly<Record<string, Rows>>,
  mask: MaskRows,
  term: (response: number, token: number) => { value: number; slope: number },
): { loss: number; responseLosses: number[]; gradient: number[][]; activeTokens: number } {
  for (const [name, rows] of Object.entries({ ...others, mask })) {
    sameLength(name, rows, shape)
    for (let i = 0; i < shape.length; i++) sameLength(`${name} of response ${i}`, rows[i]!, shape[i]!)
  }
  if (shape.length === 0) throw new RangeError('the mean over no responses is undefined')
  let activeTokens = 0
  const gradient = shape.map((row) => new Array<number>(row.length).fill(0))
  const responseLosses = shape.map((row, i) => {
    const positions = Array.from({ length: row.length }, (_, t) => t).filter((t) => mask[i]![t])
    if (positions.length === 0) throw new RangeError(`response ${i} has no active token`)
    activeTokens += positions.length
    let sum = 0
    for (const t of positions) {
      const { value, slope } = term(i, t)
      sum += value
      gradient[i]![t] = slope / (positions.length * shape.length)
    }
    return sum / positions.length
  })
  const loss = responseLosses.reduce((sum, value) => sum + value, 0) / shape.length
  return { loss, responseLosses, gradient, activeTokens }
}

export function activeNumber(name: string, rows: Rows, response: number, token: number): number {
  const value = rows[response]![token]!
  requireFinite(name, value, token, place(response, token))
  return value
}

const place = (response: number, token: number) => `response ${response}, token ${token}`

function requireFinite(name: string, value: number, index: number, where = `token ${index}`): void {
  if (!Number.isFinite(value)) throw new NonFinite(name, index, value, where)
}

function sameLength(name: string, one: { readonly length: number }, other: { readonly length: number }): void {
  if (one.length !== other.length) throw new RangeError(`${name}: length ${one.length} instead of ${other.length}`)
}
