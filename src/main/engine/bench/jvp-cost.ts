/** The figure of forward mode: one pass gives the derivative of every response token's log-probability along a direction. */
import { emptyState } from '../checkpoint/learned-state.ts'
import type { Role } from '../learn/role.ts'
import { type Batch, layOutBatch, shapeFor } from '../nn/batch.ts'
import { attentionWithin, hiddenStates, outputMatrix } from '../nn/decoder.ts'
import type { Model } from '../nn/model.ts'
import { TorchRandom } from '../random/torch-random.ts'
import type { Bench } from './bench.ts'
import { type Figure, gated } from './figure.ts'
import { cpuSecondsOf, interleave, secondsOf, timed } from './measure.ts'
import { PROMPT, RESPONSE } from './presets.ts'

const prefix = 'direction/'

export interface JvpPass {
  /** Log-probabilities and their derivatives, [B·R] each. */
  (): Promise<{ logProbs: Float32Array; tangent: Float32Array }>
  /** In the layout of the role's state. */
  readonly direction: Float32Array
}

/** Compiles the pass for the shape of `batch`, along a random direction. */
export async function jvpPass(model: Model, role: Role, batch: Batch, seed: number): Promise<JvpPass> {
  const { batch: rows, prompt, response } = batch.shape
  const { config } = model.base
  const time = prompt + response
  const session = await model.compile(`bench-jvp ${rows}x${prompt}+${response}`, (g) => {
    const parameters = model.parameters(g, role.layout)
    const ids = g.input('input_ids', [rows, time], 'int64')
    const attend = attentionWithin(g, config, g.input('attention_mask', [rows, time], 'bool'))
    const positions = g.input('position_ids', [rows, time], 'int64')
    const hidden = hiddenStates(g, config, parameters, { ids, positions }, attend, time)
    const targets = g.input('targets', [rows * response], 'int64')
    const columns = g.slice(g.reshape(hidden, [rows, time, config.hiddenSize]), 1, prompt - 1, response)
    const predicting = g.reshape(columns, [rows * response, config.hiddenSize])
    const logProbs = g.tokenLogProb(predicting, outputMatrix(config, parameters), targets)
    const directions = parameters.learned.map((value) => [value, g.input(prefix + value.name, value.shape)] as const)
    const tangent = g.jvp(logProbs, directions)
    if (tangent === null) throw new Error('the log-probabilities do not depend on the adapter')
    g.output('log_probs', logProbs)
    g.output('tangent', tangent)
  })
  const direction = emptyState(role.state.specs)
  new TorchRandom(seed).normal(direction.data, 0, 1)
  const feeds = { ...batch.feeds, ...model.views(role.state, ''), ...model.views(direction, prefix) }
  const declared = Object.fromEntries(
    Object.entries(feeds).filter(([name]) => session.inputs.some((x) => x.name === name)),
  )
  const run = async () => {
    const { log_probs, tangent } = await session.run(declared)
    return { logProbs: log_probs!.data as Float32Array, tangent: tangent!.data as Float32Array }
  }
  return Object.assign(run, { direction: direction.data })
}

/** Cost of the derivatives of every token's log-probability along one direction, in forward passes. */
export async function jvpCost(bench: Bench): Promise<Figure> {
  const { workload } = bench
  const rows = workload.rows(workload.rowsOfStep)
  const batch = layOutBatch(rows, shapeFor(rows, rows.length))
  const forward = workload.readRows(rows.length)
  const pass = await jvpPass(workload.context.model, workload.policy(), batch, bench.options.seed)
  bench.options.note('measuring jvp cost')
  const measured = await interleave({ forward: timed(forward), jvp: timed(pass) }, { runs: bench.options.repeat })
  const [fastest, median] = (['min', 'median'] as const).map(
    (statistic) => secondsOf(measured.jvp, statistic) / secondsOf(measured.forward, statistic),
  )
  return gated({
    name: 'jvp_cost',
    value: fastest!,
    unit: 'forward passes',
    better: 'lower',
    min: fastest!,
    median: median!,
    runs: measured.jvp.runs.length,
    gate: { of: 'value', at_most: 4 },
    detail: {
      forward_ms: 1000 * secondsOf(measured.forward, 'min'),
      jvp_ms: 1000 * secondsOf(measured.jvp, 'min'),
      of_processor_time: cpuSecondsOf(measured.jvp)! / cpuSecondsOf(measured.forward)!,
    },
    shape: `forward-mode pass for ${rows.length} × ${RESPONSE} token log-probabilities, prompt ${PROMPT}, against one forward pass`,
  })
}
