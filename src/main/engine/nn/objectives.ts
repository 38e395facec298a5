/**
 * The graphs of the study: what is read from the decoder (token log-probabilities, scalar values) and the losses on
 * them. Each builder declares its own inputs beyond the batch's and names its outputs; gradients are added by `model.ts`.
 */

import type { Qwen2Config } from '../checkpoint/base-model.ts'
import type { Value } from '../graph/emitter.ts'
import type { Graph } from '../graph/graph.ts'
import type { BatchShape } from './batch.ts'
import { attentionWithin, hiddenStates, type OnWeights, outputMatrix, type Parameters } from './decoder.ts'

export interface ObjectiveContext {
  readonly g: Graph
  readonly config: Qwen2Config
  readonly parameters: Parameters & { readonly head: { readonly weight: Value; readonly bias: Value | null } | null }
  readonly shape: BatchShape
}

/** Builds one graph; returns the scalar to differentiate, or null for a graph that only reads. */
export type Objective = (context: ObjectiveContext) => Value | null

/** The batch's inputs and the hidden states [B, P+R, H] over them. */
function readBatch(
  { g, config, parameters, shape }: ObjectiveContext,
  onWeights?: OnWeights,
): {
  hidden: Value
  targets: Value
  responseMask: Value
} {
  const { batch, prompt, response } = shape
  const time = prompt + response
  const ids = g.input('input_ids', [batch, time], 'int64')
  const attentionMask = g.input('attention_mask', [batch, time], 'bool')
  const positions = g.input('position_ids', [batch, time], 'int64')
  const targets = g.input('targets', [batch * response], 'int64')
  const responseMask = g.input('response_mask', [batch, response], 'bool')
  const attend = attentionWithin(g, config, attentionMask, onWeights && { onWeights })
  const flat = hiddenStates(g, config, parameters, { ids, positions }, attend, time)
  return { hidden: g.reshape(flat, [batch, time, config.hiddenSize]), targets, responseMask }
}

/** The final-norm hidden states that predict the response tokens, [B·R, H], with those tokens [B·R] and their mask. */
export function predictingStates(
  context: ObjectiveContext,
  onWeights?: OnWeights,
): {
  predicting: Value
  targets: Value
  responseMask: Value
} {
  const { g, config, shape } = context
  const { batch, prompt, response } = shape
  const { hidden, targets, responseMask } = readBatch(context, onWeights)
  // Column P−1 predicts the first response token.
  const predicting = g.reshape(g.slice(hidden, 1, prompt - 1, response), [batch * response, config.hiddenSize])
  return { predicting, targets, responseMask }
}

/** Log-probabilities of the response tokens, [B, R]; 0 behind a row's end. */
export function responseLogProbs(context: ObjectiveContext): { logProbs: Value; mask: Value } {
  const { g, config, parameters, shape } = context
  const { predicting, targets, responseMask } = predictingStates(context)
  const all = g.tokenLogProb(predicting, outputMatrix(config, parameters), targets)
  const logProbs = g.select(responseMask, g.reshape(all, [shape.batch, shape.response]))
  g.output('log_probs', logProbs)
  return { logProbs, mask: responseMask }
}

/** Scalar head on every prefix of the response, [B, R+1]: entry t is read before response token t. */
function responseValues(context: ObjectiveContext): { values: Value; mask: Value } {
  const { g, config, parameters, shape } = context
  const { batch, prompt, response } = shape
  if (parameters.head === null) throw new Error('this learned state has no scalar head')
  const inputs = readBatch(context)
  const read = g.reshape(g.slice(inputs.hidden, 1, prompt - 1, response + 1), [
    batch * (response + 1),
    config.hiddenSize,
  ])
  const scored = g.linear(read, parameters.head.weight)
  const shifted = parameters.head.bias === null ? scored : g.add(scored, parameters.head.bias)
  const values = g.reshape(shifted, [batch, response + 1])
  g.output('values', values)
  return { values, mask: inputs.responseMask }
}

/** The same as a value of the graph, for what is neither a reading nor a loss. */
export const policyLogProbs = (context: ObjectiveContext): Value => responseLogProbs(context).logProbs

/** Token log-probabilities only. */
export const logProbObjective: Objective = (context) => {
  responseLogProbs(context)
  return null
}

/**
 * Supervised fine-tuning: −Σ response log-probs · inverse_denominator. The denominator is the number of active tokens
 * of the whole optimizer step, so micro-batches add up to the token mean.
 */
export const sftObjective: Objective = (context) => {
  const { g } = context
  const { logProbs } = responseLogProbs(context)
  const loss = g.mul(g.sum(logProbs), g.scale(g.input('inverse_denominator', []), -1))
  g.output('loss', loss)
  return loss
}

/**
 * J = Σ weights · log π(token): what every policy gradient is to first order. `weights` [B, R] carry advantage and
 * reduction together; a token of weight 0 adds nothing.
 */
export const policyObjective: Objective = (context) => {
  const { g, shape } = context
  const { logProbs } = responseLogProbs(context)
  const objective = g.sum(g.mul(logProbs, g.input('weights', [shape.batch, shape.response])))
  g.output('objective', objective)
  return objective
}

/**
 * PPO's clipped surrogate: Σ weights · min(ρA, clip(ρ, 1−ε, 1+ε)A), ρ = exp(log-prob − old). `weights` [B, R] carry
 * the reduction: 1/(tokens of the response · responses of the step).
 */
export function clippedSurrogate(
  { g, shape }: ObjectiveContext,
  { logProbs, mask }: { readonly logProbs: Value; readonly mask: Value },
  weights: Value,
  epsilon: number,
): Value {
  const size = [shape.batch, shape.response]
  const [old, advantages] = [g.input('old_log_probs', size), g.input('advantages', size)]
  const ratio = g.exp(g.select(mask, g.sub(logProbs, old)))
  const surrogate = g.minimum(g.mul(ratio, advantages), g.mul(g.clip(ratio, 1 - epsilon, 1 + epsilon), advantages))
  return g.sum(g.select(mask, g.mul(surrogate, weights)))
}

/** PPO's actor loss: the clipped surrogate, to be made large. */
export const ppoActorObjective =
  (epsilon: number): Objective =>
  (context) => {
    const { g, shape } = context
    const policy = responseLogProbs(context)
    const weights = g.input('weights', [shape.batch, shape.response])
    const loss = g.scale(clippedSurrogate(context, policy, weights, epsilon), -1)
    g.output('loss', loss)
    return loss
  }

/** Values on every prefix only. */
export const valuesObjective: Objective = (context) => {
  responseValues(context)
  return null
}

/** Critic: coefficient · Σ weights · (V_t − return_t)², V_t read before token t. */
export const criticObjective =
  (coefficient: number): Objective =>
  (context) => {
    const { g, shape } = context
    const { values, mask } = responseValues(context)
    const size = [shape.batch, shape.response]
    const returns = g.input('returns', size)
    const weights = g.input('weights', size)
    const before = g.slice(values, 1, 0, shape.response)
    const loss = g.scale(g.sum(g.select(mask, g.mul(g.square(g.sub(before, returns)), weights))), coefficient)
    g.output('loss', loss)
    return loss
  }

/**
 * Bradley–Terry: −Σ pair_weights · log σ(r_chosen − r_rejected). Rows 0..B/2−1 are the chosen responses, the others the
 * rejected ones in the same order. The score is the value at the last active response token: `last_mask` [B, R+1].
 */
export const bradleyTerryObjective: Objective = (context) => {
  const { g, shape } = context
  const { values } = responseValues(context)
  const pairs = shape.batch / 2
  const last = g.input('last_mask', [shape.batch, shape.response + 1], 'bool')
  const weights = g.input('pair_weights', [pairs])
  const scores = g.sum(g.select(last, values), [1])
  g.output('scores', scores)
  const margin = g.sub(g.slice(scores, 0, 0, pairs), g.slice(scores, 0, pairs, pairs))
  const loss = g.scale(g.sum(g.mul(g.logSigmoid(margin), weights)), -1)
  g.output('loss', loss)
  return loss
}
