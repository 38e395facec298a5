/**
 * A policy's projections with the low-rank branch added in, W + (alpha/rank)·B·A, for generation with small models:
 * computed once a generation, they make a decoding step a third as many products. They round differently from the
 * separate branch by a few units in the last place; training always keeps the branch apart.
 */
import type { LearnedState } from '../checkpoint/learned-state.ts'
import { projections } from '../checkpoint/qwen2-tensors.ts'
import type { Graph } from '../graph/graph.ts'
import type { Tensors } from '../runtime/session.ts'
import type { Parameters } from './decoder.ts'
import { type LearnedLayout, type Model, noAdapter } from './model.ts'
import { float32Bytes, inlineLimitBytes } from './weights.ts'

const mergedName = (projection: string) => `merged.${projection}`

/** Small models only: a large one's merged copy would double what it holds in memory. */
export function mergeable(model: Model): boolean {
  return float32Bytes(model.base) <= inlineLimitBytes
}

/** Parameters of a decoding graph: merged matrices [in, out] as inputs where the model is small, else as they are. */
export function decodingParameters(g: Graph, model: Model, layout: LearnedLayout): Parameters {
  if (!mergeable(model)) return model.parameters(g, layout)
  const merged = new Map(
    projections(model.base.config).map((p) => [p.path, g.input(mergedName(p.path), [p.in, p.out])]),
  )
  return { ...model.parameters(g, noAdapter), merged: (projection) => merged.get(projection)! }
}

/** What `decodingParameters` declares, for one learned state. */
export async function decodingFeeds(model: Model, layout: LearnedLayout, state: LearnedState | null): Promise<Tensors> {
  const learned = state === null ? {} : model.views(state, '')
  if (!mergeable(model)) return learned
  const session = await model.compile(
    `merge ${layout.specs.length}/${layout.loraScale}/${layout.specs[0]?.shape}`,
    (g) => {
      const parameters = model.parameters(g, layout)
      for (const { path } of projections(model.base.config)) {
        const weight = parameters.weight(`${path}.weight`)!
        const factors = parameters.lora(path)
        const whole =
          factors === null ? weight : g.raw.add(weight, g.raw.gemm(factors.b, factors.a, { alpha: layout.loraScale }))
        // [in, out]: a single row is then multiplied without a copy of the matrix.
        g.output(mergedName(path), g.raw.transpose(whole, [1, 0]))
      }
    },
  )
  return session.run(learned)
}
