/**
 * The Qwen2 decoder as a graph: pre-norm blocks, rotary embedding, grouped-query attention, SwiGLU, and the additive
 * low-rank branch y = W·x + b + (alpha/rank)·B·(A·x). Where parameters come from is the caller's (`Parameters`).
 */
import type { Qwen2Config } from '../checkpoint/base-model.ts'
import type { Value } from '../graph/emitter.ts'
import type { Graph } from '../graph/graph.ts'

/** Where a graph's parameters come from: frozen constants, or inputs that can be trained. */
export interface Parameters {
  /** A base tensor by its checkpoint name, or null where the checkpoint has none (an absent bias). */
  weight(name: string): Value | null
  /** The low-rank factors of a projection: A [rank, in], B [out, rank]; null without an adapter. */
  lora(projection: string): { readonly a: Value; readonly b: Value } | null
  /** alpha / rank. */
  readonly loraScale: number
}

/** Added to the score of a key that may not be seen: far below any score, and finite, so a row of pads stays finite. */
export const MASKED_SCORE = -1e9

export function required(parameters: Parameters, name: string): Value {
  const value = parameters.weight(name)
  if (value === null) throw new Error(`model has no parameter ${name}`)
  return value
}

/** The output matrix [V, H]: the embedding table where they are tied. */
export function outputMatrix(config: Qwen2Config, parameters: Parameters): Value {
  return required(parameters, config.tied ? 'model.embed_tokens.weight' : 'lm_head.weight')
}

/** One projection of x [N, in] → [N, out]: frozen matrix, bias where there is one, low-rank branch where adapted. */
function project(g: Graph, parameters: Parameters, path: string, x: Value): Value {
  return g.scoped(path.replace('model.layers.', 'layer'), () => {
    const bias = parameters.weight(`${path}.bias`)
    let y = g.linear(x, required(parameters, `${path}.weight`))
    const factors = parameters.lora(path)
    if (factors !== null) y = g.add(y, g.linear(g.linear(x, factors.a), factors.b, parameters.loraScale))
    return bias === null ? y : g.add(y, bias)
  })
}

export interface RotaryTables {
  readonly cos: Value
  readonly sin: Value
  readonly negativeSin: Value
}

/** cos, sin and −sin of position × θ^(−2j/D), [positions, D/2] each. */
export function rotaryTables(g: Graph, config: Qwen2Config, positions: number): RotaryTables {
  const half = config.headDim / 2
  const exact = g.float === 'float64'
  const table = (name: string, f: (angle: number) => number) => {
    const values = exact ? new Float64Array(positions * half) : new Float32Array(positions * half)
    for (let j = 0; j < half; j++) {
      const frequency = config.ropeTheta ** ((-2 * j) / config.headDim)
      // Checkpoints were trained with frequencies rounded to float32.
      const step = exact ? frequency : Math.fround(frequency)
      for (let p = 0; p < positions; p++) values[p * half + j] = f(p * step)
    }
    return g.constant(name, [positions, half], { raw: new Uint8Array(values.buffer) })
  }
  return {
    cos: table('rotary.cos', Math.cos),
    sin: table('rotary.sin', Math.sin),
    negativeSin: table('rotary.-sin', (a) => -Math.sin(a)),
  }
}

/** Queries [B, heads, T, D], keys and values [B, kvHeads, T, D], rotated, to the mixed values [B, heads, T, D]. */
export type Attend = (layer: number, q: Value, k: Value, v: Value) => Value

/** Keys and values of the columns before those that are read, [B, kvHeads, columns, D] a layer. */
export interface Past {
  readonly columns: number
  readonly keys: readonly Value[]
  readonly values: readonly Value[]
}

/**
 * Told of every layer's attention weights, [B, heads, queries, T], and of the values that they mix, [B, kvHeads, T, D]; rows
 * sum to 1, weights of unseen keys are 0.
 */
export type OnWeights = (weights: Value, layer: number, values: Value) => void

/** Keys that a layer's queries may not see beside those that nobody sees: bool [B, queries, T]. */
export type HiddenKeys = (layer: number) => Value

/**
 * Attention within the rows: query i sees key j where j ≤ i, j is a real token and no `hidden` key. `attentionMask` [B, T]
 * covers every column; with a `past`, queries are only of the columns after it.
 */
export function attentionWithin(
  g: Graph,
  config: Qwen2Config,
  attentionMask: Value,
  {
    past,
    onWeights,
    hidden,
  }: { readonly past?: Past; readonly onWeights?: OnWeights; readonly hidden?: HiddenKeys } = {},
): Attend {
  const [batch, time] = attentionMask.shape as [number, number]
  const { heads, kvHeads, headDim } = config
  const group = heads / kvHeads
  const before = past?.columns ?? 0
  const queries = time - before
  const causal = Uint8Array.from({ length: queries * time }, (_, k) =>
    k % time <= before + Math.floor(k / time) ? 1 : 0,
  )
  const triangle = g.constant(`causal ${before}/${time}`, [1, queries, time], { raw: causal }, 'bool')
  const keys = g.raw.reshape(attentionMask, [batch, 1, time])
  const visible = g.raw.node('And', [triangle, keys], [{ dtype: 'bool', shape: [batch, queries, time] }])[0]!
  const maskOf = (seen: Value) =>
    g.raw.reshape(g.raw.where(seen, g.raw.scalar(0), g.raw.scalar(MASKED_SCORE)), [batch, 1, 1, queries, time])
  const everywhere = hidden === undefined ? maskOf(visible) : null
  return (layer, q, k, v) => {
    const mask = everywhere ?? maskOf(without(g, visible, hidden!(layer)))
    const [allKeys, allValues] =
      past === undefined ? [k, v] : [g.concat([past.keys[layer]!, k], 2), g.concat([past.values[layer]!, v], 2)]
    // Query heads of one group share a key head: fold them into rows instead of copying keys and values.
    const rows = g.reshape(q, [batch, kvHeads, group * queries, headDim])
    const scores = g.matmul(rows, allKeys, { transB: true, alpha: 1 / Math.sqrt(headDim) })
    const masked = g.add(g.reshape(scores, [batch, kvHeads, group, queries, time]), mask)
    const shares = g.softmax(masked)
    onWeights?.(g.raw.reshape(shares, [batch, heads, queries, time]), layer, allValues)
    const weights = g.reshape(shares, [batch, kvHeads, group * queries, time])
    return g.reshape(g.matmul(weights, allValues), [batch, heads, queries, headDim])
  }
}

/** What is visible and not hidden, in the shape of `visible`. */
function without(g: Graph, visible: Value, hidden: Value): Value {
  const shown = g.raw.node('Not', [hidden], [{ dtype: 'bool', shape: hidden.shape }])[0]!
  return g.raw.node('And', [visible, shown], [{ dtype: 'bool', shape: visible.shape }])[0]!
}

/** Final-norm hidden states [B·T, H]. `tablePositions` is one more than the largest position that can occur. */
export function hiddenStates(
  g: Graph,
  config: Qwen2Config,
  parameters: Parameters,
  { ids, positions }: { readonly ids: Value; readonly positions: Value },
  attend: Attend,
  tablePositions: number,
): Value {
  const embedded = g.embed(required(parameters, 'model.embed_tokens.weight'), ids)
  return statesFromEmbeddings(
    g,
    config,
    parameters,
    { embedded, positions },
    attend,
    rotaryTables(g, config, tablePositions),
  )
}

/** The same from embedded inputs [B, T, H], for derivatives with respect to them. */
export function statesFromEmbeddings(
  g: Graph,
  config: Qwen2Config,
  parameters: Parameters,
  { embedded, positions }: { readonly embedded: Value; readonly positions: Value },
  attend: Attend,
  tables: RotaryTables,
): Value {
  const [batch, time] = embedded.shape as [number, number, number]
  const { heads, kvHeads, headDim, hiddenSize } = config
  let x = g.reshape(embedded, [batch * time, hiddenSize])
  for (let layer = 0; layer < config.layers; layer++) {
    const path = `model.layers.${layer}`
    const attended = g.scoped(`layer${layer}/attention`, () => {
      const normed = g.rmsNorm(x, required(parameters, `${path}.input_layernorm.weight`), config.rmsNormEps)
      const projected = (name: string, count: number) => {
        const y = project(g, parameters, `${path}.self_attn.${name}`, normed)
        return g.transpose(g.reshape(y, [batch, time, count, headDim]), [0, 2, 1, 3])
      }
      const turned = (y: Value) => g.rotary(y, positions, tables.cos, tables.sin, tables.negativeSin)
      const q = turned(projected('q_proj', heads))
      const k = turned(projected('k_proj', kvHeads))
      const mixed = attend(layer, q, k, projected('v_proj', kvHeads))
      return g.reshape(g.transpose(mixed, [0, 2, 1, 3]), [batch * time, heads * headDim])
    })
    x = g.add(x, project(g, parameters, `${path}.self_attn.o_proj`, attended))
    x = g.add(x, feedForward(g, config, parameters, path, x))
  }
  return g.rmsNorm(x, required(parameters, 'model.norm.weight'), config.rmsNormEps)
}

/** SwiGLU block of one layer, its norm included: down(silu(gate(x̂)) · up(x̂)). */
function feedForward(g: Graph, config: Qwen2Config, parameters: Parameters, path: string, x: Value): Value {
  const normed = g.scoped(`${path}/mlp`, () =>
    g.rmsNorm(x, required(parameters, `${path}.post_attention_layernorm.weight`), config.rmsNormEps),
  )
  const gate = g.silu(project(g, parameters, `${path}.mlp.gate_proj`, normed))
  return project(
    g,
    parameters,
    `${path}.mlp.down_proj`,
    g.mul(gate, project(g, parameters, `${path}.mlp.up_proj`, normed)),
  )
}
