/**
 * What the policy's own computation says of every token it predicts: how concentrated the attention of the predicting
 * position is, and the final-norm hidden state it predicts from. One forward pass; both are constants to whoever reads them.
 */
import type { OnRows } from '../../learn/reading.ts'
import type { Role } from '../../learn/role.ts'
import { type Batch, type BatchShape, layOutBatch, type TokenRow } from '../../nn/batch.ts'
import { type Model, noAdapter } from '../../nn/model.ts'
import { type Objective, predictingStates } from '../../nn/objectives.ts'
import { NonFinite } from '../../optim/non-finite.ts'

/** Below it a weight adds nothing to an entropy; the logarithm of 0 never arises. */
const LEAST_WEIGHT = 1e-30

/** Mean over heads and layers of −Σ w ln w at the positions that predict completion tokens, and their hidden states. */
export const transportObjective: Objective = (context) => {
  const { g, config, shape } = context
  const { raw } = g
  const { batch, prompt, response } = shape
  let entropy: ReturnType<typeof raw.scalar> | null = null
  const { predicting } = predictingStates(context, (weights) => {
    const positions = raw.slice(weights, 2, prompt - 1, response)
    const least = raw.scalar(LEAST_WEIGHT)
    const logs = raw.unary('Log', raw.one('Max', [positions, least], positions.shape))
    const summed = raw.reduceSum(raw.mul(positions, logs), [1, 3], false)
    entropy = raw.sum(entropy, summed)
  })
  if (entropy === null) throw new Error('a model without layers has no attention')
  g.output('mean_entropy', raw.scale(entropy, -1 / (config.heads * config.layers)))
  g.output('states', raw.reshape(predicting, [batch, response, config.hiddenSize]))
  return null
}

export interface TransportReading {
  /**
   * 1 − H/ln n, n the positions the query sees, mean over heads and layers; 1 where there is one. One number a completion
   * token, of the position before it.
   */
  readonly concentration: readonly number[]
  /** Hidden states of the positions before the completion tokens, row-major [R_i, H]. */
  readonly states: Float32Array
}

export async function readTransport(
  model: Model,
  policy: Role | null,
  rows: readonly TokenRow[],
  shape: BatchShape,
  onRows?: OnRows,
): Promise<TransportReading[]> {
  const readings: TransportReading[] = []
  for (let start = 0; start < rows.length; start += shape.batch) {
    const batch = layOutBatch(rows.slice(start, start + shape.batch), shape)
    const { layout, state } = policy ?? { layout: noAdapter, state: null }
    const results = await model.evaluate('transport', transportObjective, layout, state, batch)
    readings.push(...readingsOf(batch, results.mean_entropy!, results.states!, model.base.config.hiddenSize))
    await onRows?.(readings.length)
  }
  return readings
}

function readingsOf(
  { rows, shape: { response } }: Batch,
  entropies: Float32Array | Float64Array,
  states: Float32Array | Float64Array,
  width: number,
): TransportReading[] {
  return rows.map(({ promptIds, completionIds }, b) => {
    const concentration = completionIds.map((_, t) => {
      const seen = promptIds.length + t
      const entropy = entropies[b * response + t]!
      if (!Number.isFinite(entropy)) throw new NonFinite('attention entropies', t, entropy, `row ${b} of the batch`)
      return seen === 1 ? 1 : 1 - entropy / Math.log(seen)
    })
    const from = b * response * width
    return { concentration, states: Float32Array.from(states.subarray(from, from + completionIds.length * width)) }
  })
}
