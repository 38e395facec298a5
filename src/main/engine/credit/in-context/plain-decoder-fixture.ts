/** For tests only: the Qwen2 decoder in plain loops over one unpadded row in float64. Shares no code with the graphs. */
import type { BaseModel } from '../../checkpoint/base-model.ts'

export interface PlainReading {
  /** Next token after the last position, [V]. */
  readonly logits: readonly number[]
  /** By layer and head: weights of the last position over the columns. */
  readonly weights: readonly (readonly (readonly number[])[])[]
  /** By layer: the heads' outputs side by side at the last position, before their projection. */
  readonly outputs: readonly (readonly number[])[]
}

type Sees = (layer: number, query: number, key: number) => boolean

/** @param sees called for keys at or before the query */
export function plainDecoder(base: BaseModel, ids: readonly number[], sees: Sees): PlainReading {
  const { hiddenSize: width, heads, kvHeads, headDim, layers, rmsNormEps, ropeTheta, vocabSize } = base.config
  const weight = (name: string) => base.float32(name)
  const table = weight('model.embed_tokens.weight')
  const times = (name: string, x: readonly number[], bias = false) => {
    const matrix = weight(`${name}.weight`)
    const added = bias ? weight(`${name}.bias`) : null
    return Array.from({ length: matrix.length / x.length }, (_, row) =>
      x.reduce((sum, value, i) => sum + matrix[row * x.length + i]! * value, added?.[row] ?? 0),
    )
  }
  const normed = (name: string, x: readonly number[]) => {
    const scale = weight(`${name}.weight`)
    const root = Math.sqrt(x.reduce((sum, value) => sum + value * value, 0) / x.length + rmsNormEps)
    return x.map((value, i) => (value / root) * scale[i]!)
  }
  const turned = (x: readonly number[], position: number) =>
    x.map((value, i) => {
      const half = headDim / 2
      const angle = position * ropeTheta ** ((-2 * (i % half)) / headDim)
      return value * Math.cos(angle) + (i < half ? -x[i + half]! : x[i - half]!) * Math.sin(angle)
    })
  const head = (x: readonly number[], h: number) => x.slice(h * headDim, (h + 1) * headDim)
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

  let states = ids.map((id) => Array.from(table.subarray(id * width, (id + 1) * width)))
  const lastWeights: number[][][] = []
  const lastOutputs: number[][] = []
  for (let layer = 0; layer < layers; layer++) {
    const path = `model.layers.${layer}`
    const inputs = states.map((x) => normed(`${path}.input_layernorm`, x))
    const [queries, keys, values] = ['q', 'k', 'v'].map((name) =>
      inputs.map((x) => times(`${path}.self_attn.${name}_proj`, x, true)),
    ) as [number[][], number[][], number[][]]
    const weightsOf = (t: number, h: number) => {
      const kv = Math.floor(h / (heads / kvHeads))
      const q = turned(head(queries[t]!, h), t)
      const exps = keys.slice(0, t + 1).map((k, j) => {
        if (!sees(layer, t, j)) return 0
        return Math.exp(dot(q, turned(head(k, kv), j)) / Math.sqrt(headDim))
      })
      const total = exps.reduce((sum, value) => sum + value, 0)
      return exps.map((value) => value / total)
    }
    const mixed = states.map((_, t) =>
      Array.from({ length: heads }, (_, h) => {
        const kv = Math.floor(h / (heads / kvHeads))
        const weights = weightsOf(t, h)
        return Array.from({ length: headDim }, (_, d) =>
          weights.reduce((sum, value, j) => sum + value * values[j]![kv * headDim + d]!, 0),
        )
      }).flat(),
    )
    lastWeights.push(Array.from({ length: heads }, (_, h) => weightsOf(ids.length - 1, h)))
    lastOutputs.push(mixed.at(-1)!)
    states = states.map((x, t) => {
      const attended = times(`${path}.self_attn.o_proj`, mixed[t]!).map((value, i) => value + x[i]!)
      const between = normed(`${path}.post_attention_layernorm`, attended)
      const up = times(`${path}.mlp.up_proj`, between)
      const gated = times(`${path}.mlp.gate_proj`, between).map((value, i) => (value / (1 + Math.exp(-value))) * up[i]!)
      return times(`${path}.mlp.down_proj`, gated).map((value, i) => value + attended[i]!)
    })
  }
  const final = normed('model.norm', states.at(-1)!)
  return {
    logits: Array.from({ length: vocabSize }, (_, v) =>
      dot(final, Array.from(table.subarray(v * width, (v + 1) * width))),
    ),
    weights: lastWeights,
    outputs: lastOutputs,
  }
}
