/**
 * Forward mode on the policy: in one pass, the derivative of every response token's log-probability along one direction
 * in the space of the learned state. The reverse mode on the same graph gives one sum of tokens a pass; this gives each.
 */
import type { LearnedState } from '../checkpoint/learned-state.ts'
import type { Batch } from './batch.ts'
import { declared, type GradientBuffer, graphKey, type LearnedLayout, type Model, type Numbers } from './model.ts'
import { policyLogProbs } from './objectives.ts'

const prefix = 'direction/'

export interface TokenTangents {
  /** log π of each response token, [B·R]; 0 where the response mask is off. */
  readonly logProbs: Numbers
  /** d/ds log π(θ + s·direction) at s = 0, [B·R]. */
  readonly tangents: Numbers
}

/**
 * @param direction in the layout of the learned state, of the model's float type
 * @throws where no log-probability depends on the learned state
 */
export async function tokenTangents(
  model: Model,
  layout: LearnedLayout,
  state: LearnedState,
  direction: GradientBuffer,
  batch: Batch,
): Promise<TokenTangents> {
  const { shape } = batch
  const session = await model.compile(graphKey('token-tangents', layout, shape), (g) => {
    const parameters = model.parameters(g, layout)
    const logProbs = policyLogProbs({ g, config: model.base.config, parameters, shape })
    const along = parameters.learned.map(
      (value, i) => [value, g.round(g.input(prefix + layout.specs[i]!.name, value.shape))] as const,
    )
    const tangents = g.jvp(logProbs, along)
    if (tangents === null) throw new Error('no log-probability depends on the learned state')
    g.output('tangents', tangents)
  })
  const feeds = { ...batch.feeds, ...model.views(state, ''), ...model.views(direction, prefix) }
  const { log_probs, tangents } = await session.run(declared(session, feeds))
  return { logProbs: log_probs!.data as Numbers, tangents: tangents!.data as Numbers }
}
