/**
 * The decoder with a key–value cache, for generation: the same parameters as `decoder.ts`, attention by onnxruntime's
 * GroupQueryAttention over one buffer per layer that is extended in place. Not differentiable.
 */
import type { Qwen2Config } from '../checkpoint/base-model.ts'
import type { Value } from '../graph/emitter.ts'
import type { Graph } from '../graph/graph.ts'
import { feedForward, outputMatrix, type Parameters, project, rotaryTables } from './decoder.ts'

/** B rows, S new tokens at once (prompt columns in prefill, 1 in decode), `capacity` tokens in the cache. */
export interface CacheShape {
  readonly batch: number
  readonly tokens: number
  readonly capacity: number
}

export const cacheNames = (layer: number) => ({ key: `key.${layer}`, value: `value.${layer}` })

/**
 * Inputs: input_ids int64 [B, S] (padded on the right in prefill), last_index int32 [B] (position of each row's newest
 * token), total int32 [] (largest position + 1), gather int64 [B] (rows of the [B·S] grid to read), and per layer
 * key.N, value.N [B, kvHeads, capacity, headDim]. Outputs: logits [B, V] and present.key.N, present.value.N.
 */
export function cachedDecoder(g: Graph, config: Qwen2Config, parameters: Parameters, shape: CacheShape): void {
  const { batch, tokens, capacity } = shape
  const { heads, kvHeads, headDim, hiddenSize } = config
  const ids = g.input('input_ids', [batch, tokens], 'int64')
  const lastIndex = g.input('last_index', [batch], 'int32')
  const total = g.input('total', [], 'int32')
  const rows = g.input('gather', [batch], 'int64')
  const tables = rotaryTables(g, config, capacity)
  const cacheShape = [batch, kvHeads, capacity, headDim]
  const required = (name: string): Value => {
    const value = parameters.weight(name)
    if (value === null) throw new Error(`model has no parameter ${name}`)
    return value
  }
  let x = g.reshape(g.embed(required('model.embed_tokens.weight'), ids), [batch * tokens, hiddenSize])
  for (let layer = 0; layer < config.layers; layer++) {
    const path = `model.layers.${layer}`
    const normed = g.rmsNorm(x, required(`${path}.input_layernorm.weight`), config.rmsNormEps)
    const projected = (name: string, width: number) =>
      g.reshape(project(g, parameters, `${path}.self_attn.${name}`, normed), [batch, tokens, width])
    const names = cacheNames(layer)
    const [attended, key, value] = g.raw.node(
      'GroupQueryAttention',
      [
        projected('q_proj', heads * headDim),
        projected('k_proj', kvHeads * headDim),
        projected('v_proj', kvHeads * headDim),
        g.input(names.key, cacheShape),
        g.input(names.value, cacheShape),
        lastIndex,
        total,
        tables.cos,
        tables.sin,
      ],
      [
        { dtype: g.float, shape: [batch, tokens, heads * headDim] },
        { dtype: g.float, shape: cacheShape },
        { dtype: g.float, shape: cacheShape },
      ],
      {
        num_heads: { int: heads },
        kv_num_heads: { int: kvHeads },
        do_rotary: { int: 1 },
        scale: { float: 1 / Math.sqrt(headDim) },
      },
      'com.microsoft',
    )
    g.outputInPlace(`present.${names.key}`, key!)
    g.outputInPlace(`present.${names.value}`, value!)
    const flat = g.reshape(attended!, [batch * tokens, heads * headDim])
    x = g.add(x, project(g, parameters, `${path}.self_attn.o_proj`, flat))
    x = g.add(x, feedForward(g, config, parameters, path, x))
  }
  const newest = g.raw.gather(x, rows)
  const hidden = g.rmsNorm(newest, required('model.norm.weight'), config.rmsNormEps)
  g.output('logits', g.linear(hidden, outputMatrix(config, parameters)))
}
