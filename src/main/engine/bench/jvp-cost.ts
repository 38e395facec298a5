/**
 * The figure of forward mode: one pass gives the derivative of every response token's log-probability along a direction,
 * at a cost that must not grow with their number.
 */
import { emptyState } from '../checkpoint/learned-state.ts'
import { tokenLogProbs } from '../learn/reading.ts'
import { layOutBatch } from '../nn/batch.ts'
import { tokenTangents } from '../nn/token-tangents.ts'
import { TorchRandom } from '../random/torch-random.ts'
import type { Bench } from './bench.ts'
import { type Figure, gated } from './figure.ts'
import { cpuSecondsOf, interleave, type Samples, type Side, type Statistic, secondsOf, timed } from './measure.ts'
import { PROMPT, RESPONSE } from './presets.ts'

/** Tokens of a response: those of the other figures, and four times as many. */
const lengths = [RESPONSE, 4 * RESPONSE] as const

/** Cost of the derivatives of every token's log-probability along one direction, in forward passes; the dearer length counts. */
export async function jvpCost(bench: Bench): Promise<Figure> {
  const { note, repeat } = bench.options
  note('measuring jvp cost')
  const taken: Samples[][] = []
  for (const length of lengths) {
    const { forward, jvp } = await interleave(sides(bench, length), { runs: repeat })
    taken.push([forward, jvp])
  }
  const ratios = (statistic: Statistic) =>
    taken.map(([forward, jvp]) => secondsOf(jvp!, statistic) / secondsOf(forward!, statistic))
  const [fastest, median] = [ratios('min'), ratios('median')]
  const rows = bench.workload.rowsOfStep
  return gated({
    name: 'jvp_cost',
    value: Math.max(...fastest),
    unit: 'forward passes',
    better: 'lower',
    min: Math.max(...fastest),
    median: Math.max(...median),
    runs: repeat,
    gate: { of: 'value', at_most: 4 },
    detail: Object.fromEntries(
      lengths.flatMap((length, i) => {
        const [forward, jvp] = taken[i] as [Samples, Samples]
        return Object.entries({
          forward_ms: 1000 * secondsOf(forward, 'min'),
          jvp_ms: 1000 * secondsOf(jvp, 'min'),
          ratio: fastest[i]!,
          of_processor_time: cpuSecondsOf(jvp)! / cpuSecondsOf(forward)!,
        }).map(([name, value]) => [`${rows * length}_tokens_${name}`, value] as const)
      }),
    ),
    shape: `forward-mode pass for ${rows} × ${lengths.join(' and ')} token log-probabilities, prompt ${PROMPT}, against one forward pass each`,
  })
}

function sides({ workload, options }: Bench, response: number): Record<'forward' | 'jvp', Side> {
  const { model } = workload.context
  const rows = workload.rows(workload.rowsOfStep, PROMPT, response)
  const shape = { batch: rows.length, prompt: PROMPT, response }
  const batch = layOutBatch(rows, shape)
  const policy = workload.policy()
  const direction = emptyState(policy.state.specs)
  new TorchRandom(options.seed).normal(direction.data, 0, 1)
  return {
    forward: timed(() => tokenLogProbs(model, policy, rows, shape)),
    jvp: timed(() => tokenTangents(model, policy.layout, policy.state, direction, batch)),
  }
}
