/**
 * What a reward model says of a rollout beyond its score: its value on every prefix, and the gradient of the score with
 * respect to the embedding of every completion token, all from one forward and one backward pass. The tokens stay as they
 * were sampled; only their embeddings are varied.
 */

import type { Value } from '../../graph/emitter.ts'
import type { OnRows } from '../../learn/reading.ts'
import type { Role } from '../../learn/role.ts'
import { type Batch, type BatchShape, lastTokenMask, layOutBatch, type TokenRow } from '../../nn/batch.ts'
import { attentionWithin, type Past, required, rotaryTables, statesFromEmbeddings } from '../../nn/decoder.ts'
import type { Model, Numbers } from '../../nn/model.ts'
import type { Objective } from '../../nn/objectives.ts'
import { NonFinite } from '../../optim/non-finite.ts'

/**
 * The prompt is read first and yields keys and values; only the completion's columns are differentiated, which costs a
 * backward pass of the completion and not of the whole row. Where the prompt's own score is not asked for, its last layer
 * stops at keys and values.
 */
export const inputGradientObjective =
  ({ baseScore }: { readonly baseScore: boolean }): Objective =>
  ({ g, config, parameters, shape }) => {
    const { batch, prompt, response } = shape
    const { raw } = g
    const time = prompt + response
    if (parameters.head === null) throw new Error('this learned state has no scalar head')
    const ids = g.input('input_ids', [batch, time], 'int64')
    const attentionMask = g.input('attention_mask', [batch, time], 'bool')
    const positions = g.input('position_ids', [batch, time], 'int64')
    const last = g.input('last_mask', [batch, response + 1], 'bool')
    const lastOfResponse = raw.slice(last, 1, 1, response)
    const table = required(parameters, 'model.embed_tokens.weight')
    const tables = rotaryTables(g, config, time)

    const [promptMask, promptIds, promptPositions] = [attentionMask, ids, positions].map((x) =>
      raw.slice(x, 1, 0, prompt),
    )
    const within = attentionWithin(g, config, promptMask!)
    const [keys, values]: [Past['keys'][number][], Past['values'][number][]] = [[], []]
    const promptStates = statesFromEmbeddings(
      g,
      config,
      parameters,
      { embedded: g.embed(table, promptIds!), positions: promptPositions! },
      (layer, q, k, v) => {
        keys.push(k)
        values.push(v)
        return within(layer, q, k, v)
      },
      tables,
    )
    const [responseIds, responsePositions] = [ids, positions].map((x) => raw.slice(x, 1, prompt, response))
    const embedded = g.embed(table, responseIds!)
    const responseStates = statesFromEmbeddings(
      g,
      config,
      parameters,
      { embedded, positions: responsePositions! },
      attentionWithin(g, config, attentionMask, { past: { columns: prompt, keys, values } }),
      tables,
    )
    const { weight, bias } = parameters.head
    const scored = (states: Value, columns: number) => {
      const read = g.linear(states, weight)
      return g.reshape(bias === null ? read : g.add(read, bias), [batch, columns])
    }
    const scores = scored(responseStates, response)
    g.output('prefix_scores', scores)
    g.output('input_gradient', g.gradient(g.sum(g.select(lastOfResponse, scores)), [embedded])[0]!)
    if (baseScore) {
      const end = raw.slice(raw.reshape(promptStates, [batch, prompt, config.hiddenSize]), 1, prompt - 1, 1)
      g.output('base_score', scored(raw.reshape(end, [batch, config.hiddenSize]), 1))
    }
    return null
  }

export interface RewardReading {
  /** Score of the prompt alone; null where it was not read. */
  readonly baseScore: number | null
  /** Score of the rollout cut after each completion token. */
  readonly prefixScores: readonly number[]
  /** The last of them: the score of the whole. */
  readonly score: number
  /** ∂score/∂e_t of every completion token, row-major [R_i, H]. */
  readonly inputGradient: Float32Array
}

/** Added to a group's standard deviation where its reward gradients are standardised. */
const DEVIATION_EPSILON = 1e-6

/** g̃ = g / (σ + ε), σ the deviation of the rewards of each row's group. */
export function standardisedGradients(
  gradients: readonly Float32Array[],
  deviations: readonly number[],
): Float32Array[] {
  return gradients.map((gradient, i) => {
    const scale = 1 / (deviations[i]! + DEVIATION_EPSILON)
    return gradient.map((value) => value * scale)
  })
}

/** @throws NonFinite naming the row and token where a value or a gradient is not finite */
export async function readRewardGradients(
  model: Model,
  role: Role,
  rows: readonly TokenRow[],
  shape: BatchShape,
  { baseScore, onRows }: { readonly baseScore: boolean; readonly onRows?: OnRows },
): Promise<RewardReading[]> {
  const readings: RewardReading[] = []
  for (let start = 0; start < rows.length; start += shape.batch) {
    const batch = layOutBatch(rows.slice(start, start + shape.batch), shape)
    const results = await model.evaluate(
      `input-gradient ${baseScore}`,
      inputGradientObjective({ baseScore }),
      role.layout,
      role.state,
      batch,
      {
        last_mask: lastTokenMask(batch),
      },
    )
    readings.push(...readingsOf(batch, results, model.base.config.hiddenSize))
    await onRows?.(readings.length)
  }
  return readings
}

function readingsOf(
  { rows, shape: { response } }: Batch,
  results: Readonly<Record<string, Numbers>>,
  width: number,
): RewardReading[] {
  return rows.map(({ completionIds: { length } }, b) => {
    const prefixScores = Array.from(results.prefix_scores!.subarray(b * response, b * response + length))
    const from = b * response * width
    const inputGradient = Float32Array.from(results.input_gradient!.subarray(from, from + length * width))
    const baseScore = results.base_score?.[b] ?? null
    requireFinite('scores of prefixes', baseScore === null ? prefixScores : [...prefixScores, baseScore], b, 1)
    requireFinite('input gradients', inputGradient, b, width)
    return { baseScore, prefixScores, score: prefixScores.at(-1)!, inputGradient }
  })
}

function requireFinite(what: string, numbers: ArrayLike<number>, row: number, perToken: number): void {
  for (let i = 0; i < numbers.length; i++)
    if (!Number.isFinite(numbers[i]!))
      throw new NonFinite(what, i, numbers[i]!, `row ${row} of the batch, token ${Math.floor(i / perToken)}`)
}
