/**
 * The decoder with a key–value cache, for generation: the same parameters as `decoder.ts`, one key and one value buffer
 * per layer. Not differentiable.
 */
import type { Qwen2Config } from '../checkpoint/base-model.ts'
import type { Value } from '../graph/emitter.ts'
import type { Graph } from '../graph/graph.ts'
import { feedForward, MASKED_SCORE, outputMatrix, type Parameters, project, rotaryTables } from './decoder.ts'

/** B rows, S new tokens at once (prompt columns in prefill, 1 in decode), `capacity` tokens in the cache. */
export interface CacheShape {
  readonly batch: number
  readonly tokens: number
  readonly capacity: number
}

export const cacheNames = (layer: number) => ({ key: `key.${layer}`, value: `value.${layer}` })

/** Whether the fused kernel takes this model: it extends the cache in place, and wants heads of a multiple of 16. */
export function extendsInPlace(g: Pick<Graph, 'profile'>, config: Qwen2Config): boolean {
  return g.profile === 'fused' && config.headDim % 16 === 0
}

/**
 * Inputs: input_ids int64 [B, S] (padded on the right in prefill), last_index int32 [B] (position of each row's newest
 * token), total int32 [] (largest position + 1), gather int64 [B] (rows of the [B·S] grid to read), and per layer
 * key.N, value.N [B, kvHeads, capacity, headDim]. Outputs: logits [B, V] and present.key.N, present.value.N; where
 * `extendsInPlace`, these may be bound to the memory of the inputs.
 */
export function cachedDecoder(g: Graph, config: Qwen2Config, parameters: Parameters, shape: CacheShape): void {
  const { batch, tokens, capacity } = shape
  const { heads, kvHeads, headDim, hiddenSize } = config
  const fused = extendsInPlace(g, config)
  const ids = g.input('input_ids', [batch, tokens], 'int64')
  const lastIndex = g.input('last_index', [batch], 'int32')
  const total = fused ? g.input('total', [], 'int32') : null
  const rows = g.input('gather', [batch], 'int64')
  const tables = rotaryTables(g, config, capacity)
  const attention: Attention = { g, config, shape, lastIndex, tables }
  const required = (name: string): Value => {
    const value = parameters.weight(name)
    if (value === null) throw new Error(`model has no parameter ${name}`)
    return value
  }
  let x = g.reshape(g.embed(required('model.embed_tokens.weight'), ids), [batch * tokens, hiddenSize])
  for (let layer = 0; layer < config.layers; layer++) {
    const path = `model.layers.${layer}`
    const normed = g.rmsNorm(x, required(`${path}.input_layernorm.weight`), config.rmsNormEps)
    const projected = (name: string, count: number) =>
      g.reshape(project(g, parameters, `${path}.self_attn.${name}`, normed), [batch, tokens, count * headDim])
    const [q, k, v] = [projected('q_proj', heads), projected('k_proj', kvHeads), projected('v_proj', kvHeads)]
    const names = cacheNames(layer)
    const size = [batch, kvHeads, capacity, headDim]
    const cache = { key: g.input(names.key, size), value: g.input(names.value, size) }
    const { mixed, key, value } =
      total === null ? portableAttention(attention, q, k, v, cache) : fusedAttention(attention, total, q, k, v, cache)
    g.outputInPlace(`present.${names.key}`, key)
    g.outputInPlace(`present.${names.value}`, value)
    const flat = g.reshape(mixed, [batch * tokens, heads * headDim])
    x = g.add(x, project(g, parameters, `${path}.self_attn.o_proj`, flat))
    x = g.add(x, feedForward(g, config, parameters, path, x))
  }
  const newest = g.raw.gather(x, rows)
  const hidden = g.rmsNorm(newest, required('model.norm.weight'), config.rmsNormEps)
  g.output('logits', g.linear(hidden, outputMatrix(config, parameters)))
}

interface Attention {
  readonly g: Graph
  readonly config: Qwen2Config
  readonly shape: CacheShape
  readonly lastIndex: Value
  readonly tables: ReturnType<typeof rotaryTables>
}
interface Cache {
  readonly key: Value
  readonly value: Value
}

/** q [B, S, heads·D], k and v [B, S, kvHeads·D] before rotation; the kernel rotates, extends the cache and attends. */
function fusedAttention(
  { g, config, shape, lastIndex, tables }: Attention,
  total: Value,
  q: Value,
  k: Value,
  v: Value,
  cache: Cache,
): Cache & { mixed: Value } {
  const { heads, kvHeads, headDim } = config
  const [mixed, key, value] = g.raw.node(
    'GroupQueryAttention',
    [q, k, v, cache.key, cache.value, lastIndex, total, tables.cos, tables.sin],
    [
      { dtype: g.float, shape: [shape.batch, shape.tokens, heads * headDim] },
      { dtype: g.float, shape: cache.key.shape },
      { dtype: g.float, shape: cache.value.shape },
    ],
    {
      num_heads: { int: heads },
      kv_num_heads: { int: kvHeads },
      do_rotary: { int: 1 },
      scale: { float: 1 / Math.sqrt(headDim) },
    },
    'com.microsoft',
  )
  return { mixed: mixed!, key: key!, value: value! }
}

/** The same in ordinary operators: the new keys and values replace their places in a copy of the cache. */
function portableAttention(
  { g, config, shape, lastIndex, tables }: Attention,
  q: Value,
  k: Value,
  v: Value,
  cache: Cache,
): Cache & { mixed: Value } {
  const { raw } = g
  const { batch, tokens, capacity } = shape
  const { heads, kvHeads, headDim } = config
  const group = heads / kvHeads
  const newest = raw.reshape(raw.cast(lastIndex, 'int64'), [batch, 1])
  const positions =
    tokens === 1
      ? newest
      : raw.expand(raw.reshape(raw.ints(Array.from({ length: tokens }, (_, t) => t)), [1, tokens]), [batch, tokens])
  const split = (x: Value, count: number) =>
    raw.transpose(raw.reshape(x, [batch, tokens, count, headDim]), [0, 2, 1, 3])
  const turned = (x: Value) => g.rotary(x, positions, tables.cos, tables.sin, tables.negativeSin)
  const places = raw.ints(Array.from({ length: capacity }, (_, place) => place))
  const placed = (old: Value, fresh: Value) => {
    if (tokens === 1)
      return raw.where(
        raw.compare('Equal', raw.reshape(newest, [batch, 1, 1, 1]), raw.reshape(places, [1, 1, capacity, 1])),
        fresh,
        old,
      )
    // Prefill starts an empty cache: what stood there is replaced as a whole.
    return capacity === tokens
      ? raw.unary('Identity', fresh)
      : raw.concat([fresh, raw.slice(old, 2, tokens, capacity - tokens)], 2)
  }
  const key = placed(cache.key, turned(split(k, kvHeads)))
  const value = placed(cache.value, split(v, kvHeads))
  const rows = raw.reshape(turned(split(q, heads)), [batch, kvHeads, group * tokens, headDim])
  const scores = raw.reshape(raw.matmul(rows, key, { transB: true, alpha: 1 / Math.sqrt(headDim) }), [
    batch,
    kvHeads,
    group,
    tokens,
    capacity,
  ])
  const visible = raw.compare(
    'GreaterOrEqual',
    raw.reshape(positions, [batch, 1, 1, tokens, 1]),
    raw.reshape(places, [1, 1, 1, 1, capacity]),
  )
  const weights = g.softmax(raw.where(visible, scores, raw.scalar(MASKED_SCORE)))
  const mixed = raw.reshape(raw.matmul(raw.reshape(weights, [batch, kvHeads, group * tokens, capacity]), value), [
    batch,
    heads,
    tokens,
    headDim,
  ])
  return { mixed: raw.reshape(raw.transpose(mixed, [0, 2, 1, 3]), [batch, tokens, heads * headDim]), key, value }
}
