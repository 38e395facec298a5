/**
 * The sums over the vocabulary that directional credit is made of, taken inside the policy's own forward pass: nothing of
 * the size of the vocabulary leaves the graph.
 */
import type { Value } from '../../graph/emitter.ts'
import type { Graph } from '../../graph/graph.ts'
import type { OnRows } from '../../learn/reading.ts'
import type { Role } from '../../learn/role.ts'
import { type Batch, type BatchShape, layOutBatch, type TokenRow } from '../../nn/batch.ts'
import { outputMatrix } from '../../nn/decoder.ts'
import { type Model, noAdapter } from '../../nn/model.ts'
import { type Objective, predictingStates } from '../../nn/objectives.ts'
import type { FrozenWeights } from '../../nn/weights.ts'
import { tensor } from '../../runtime/session.ts'
import type { VocabularySums } from './directional-credit.ts'

const TABLE = 'model.embed_tokens.weight'
const outputs = ['probability', 'centred_slope', 'mean', 'square', 'concentration'] as const

/**
 * p = softmax(logits), a = g̃·Eᵀ, r = p (a − Σ p a) at every completion column, reduced as `VocabularySums` names them.
 * `table` places the reward model's embeddings E [at least V, H_reward] in the graph.
 */
const vocabularySumsObjective =
  (table: (g: Graph) => Value): Objective =>
  (context) => {
    const { g, config, parameters, shape } = context
    const { raw } = g
    const { predicting, targets } = predictingStates(context)
    const places = shape.batch * shape.response
    const embeddings = table(g)
    const [rows, width] = embeddings.shape as [number, number]
    const used = rows === config.vocabSize ? embeddings : raw.slice(embeddings, 0, 0, config.vocabSize)
    const gradient = g.input('reward_gradient', [places, width])
    const p = g.softmax(g.linear(predicting, outputMatrix(config, parameters)))
    const slopes = raw.gemm(gradient, used, { transB: true })
    const total = (x: Value) => raw.reduceSum(x, [-1], true)
    const centred = raw.sub(slopes, total(raw.mul(p, slopes)))
    const direction = raw.mul(p, centred)
    const column = raw.reshape(targets, [places, 1])
    const picked = (x: Value) => raw.one('GatherElements', [x, column], [places, 1], { axis: { int: 1 } })
    const sums = [
      picked(p),
      picked(centred),
      total(raw.mul(p, direction)),
      total(raw.mul(direction, direction)),
      total(raw.mul(p, p)),
    ]
    outputs.forEach((name, i) => {
      g.output(name, raw.reshape(sums[i]!, [shape.batch, shape.response]))
    })
    return null
  }

/**
 * One `VocabularySums` for every completion token of every row; only those of action tokens mean anything.
 * @param gradients g̃ of each row, row-major [R_i, H_reward]
 * @param rewardWeights the reward model's base, where it is not the policy's own
 */
export async function vocabularySums(
  model: Model,
  policy: Role | null,
  rows: readonly TokenRow[],
  gradients: readonly Float32Array[],
  shape: BatchShape,
  rewardWeights: FrozenWeights = model.weights,
  onRows?: OnRows,
): Promise<VocabularySums[][]> {
  const own = rewardWeights === model.weights
  const objective: Objective = (context) =>
    vocabularySumsObjective((g) =>
      own ? context.parameters.weight(TABLE)! : rewardWeights.place(g, TABLE, `reward/${TABLE}`),
    )(context)
  const width = rewardWeights.base.config.hiddenSize
  const all: VocabularySums[][] = []
  for (let start = 0; start < rows.length; start += shape.batch) {
    const batch = layOutBatch(rows.slice(start, start + shape.batch), shape)
    const results = await model.evaluate(
      `vocabulary-sums ${own ? 'own' : rewardWeights.base.sha256()}`,
      objective,
      policy?.layout ?? noAdapter,
      policy?.state ?? null,
      batch,
      { reward_gradient: padded(gradients.slice(start, start + shape.batch), shape, width) },
    )
    all.push(...sumsOf(batch, results))
    await onRows?.(all.length)
  }
  return all
}

function padded(gradients: readonly Float32Array[], { batch, response }: BatchShape, width: number) {
  const data = new Float32Array(batch * response * width)
  gradients.forEach((gradient, b) => {
    data.set(gradient, b * response * width)
  })
  return tensor('float32', data, [batch * response, width])
}

function sumsOf(
  { rows, shape: { response } }: Batch,
  results: Readonly<Record<string, ArrayLike<number>>>,
): VocabularySums[][] {
  return rows.map(({ completionIds }, b) =>
    completionIds.map((_, t) => {
      const at = (name: (typeof outputs)[number]) => results[name]![b * response + t]!
      return {
        probability: at('probability'),
        centredSlope: at('centred_slope'),
        mean: at('mean'),
        square: at('square'),
        concentration: at('concentration'),
      }
    }),
  )
}
