/**
 * The reward that directional credit climbs, as a function of the policy's parameters: S = Σ_t ⟨g̃_t, Σ_v p_t(v) E[v]⟩ over
 * the action tokens, prefixes and gradients fixed. Its gradient says what a shared-parameter step changes to first order.
 */
import { accumulateGradient } from '../../learn/accumulate-gradient.ts'
import type { Learner } from '../../learn/learner.ts'
import { type BatchShape, perToken } from '../../nn/batch.ts'
import { outputMatrix, required } from '../../nn/decoder.ts'
import type { Model } from '../../nn/model.ts'
import { type Objective, predictingStates } from '../../nn/objectives.ts'
import { tensor } from '../../runtime/session.ts'
import type { TrainedRow } from '../trained-row.ts'

const surrogateObjective: Objective = (context) => {
  const { g, config, parameters, shape } = context
  const { batch, response } = shape
  const places = batch * response
  const { predicting, responseMask } = predictingStates(context)
  const table = g.raw.transpose(required(parameters, 'model.embed_tokens.weight'), [1, 0])
  const p = g.softmax(g.linear(predicting, outputMatrix(config, parameters)))
  const gradient = g.input('reward_gradient', [places, config.hiddenSize])
  const perPlace = g.reshape(g.sum(g.mul(g.linear(p, table), gradient), [1]), [batch, response])
  const weighted = g.mul(perPlace, g.input('weights', [batch, response]))
  const surrogate = g.sum(g.select(responseMask, weighted))
  g.output('loss', surrogate)
  return surrogate
}

/**
 * Leaves ∇_θ S of the mean over rows in the learner; S sums over the tokens of a row, as its reward does.
 * @param gradients g̃ of each row, row-major over its completion
 * @returns S of the mean over rows
 */
export async function surrogateGradient(
  model: Model,
  learner: Learner,
  rows: readonly TrainedRow[],
  gradients: readonly Float32Array[],
  shape: BatchShape,
): Promise<number> {
  const width = model.base.config.hiddenSize
  const items = rows.map((row, i) => ({ row, gradient: gradients[i]! }))
  const { loss } = await accumulateGradient(
    learner,
    items,
    ({ row }) => row,
    shape,
    async (batch, part) => {
      const weights = perToken(
        part.map(({ row }) => row.completionIds.map(() => 1 / rows.length)),
        shape,
      )
      const data = new Float32Array(shape.batch * shape.response * width)
      part.forEach(({ gradient }, b) => {
        data.set(gradient, b * shape.response * width)
      })
      const { layout, state } = learner.role
      const result = await model.evaluate(
        'surrogate-reward',
        surrogateObjective,
        layout,
        state,
        batch,
        { reward_gradient: tensor('float32', data, [shape.batch * shape.response, width]), weights },
        learner.part,
      )
      return { loss: result.loss![0]!, perToken: part.map(() => []) }
    },
  )
  return loss
}

/** Σ over two lists of numbers of their products, in float64. */
export function inner(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
