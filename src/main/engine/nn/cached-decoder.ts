/**
 * The graphs of generation. Prefill reads whole prompts and yields their keys and values; a step reads one new token a row
 * beside a cache that it only reads, and yields that token's key and value for the caller to put in their places; an
 * extension does the same for several given tokens a row.
 * (onnxruntime's binding copies every output of a run, so a cache that went through the graph would be copied whole.)
 */
import type { Qwen2Config } from '../checkpoint/base-model.ts'
import type { Value } from '../graph/emitter.ts'
import type { Graph } from '../graph/graph.ts'
import {
  type Attend,
  attentionWithin,
  type hiddenStates,
  MASKED_SCORE,
  outputMatrix,
  type Parameters,
} from './decoder.ts'

/** The decoder that a graph runs on: `hiddenStates`, or `packedHiddenStates` with its matrices as further inputs. */
export type Decoder = typeof hiddenStates

export const keyName = (layer: number) => `key.${layer}`
export const valueName = (layer: number) => `value.${layer}`

/** Notes keys and values of every layer as outputs on the way. */
function yielding(g: Graph, attend: Attend): Attend {
  return (layer, q, k, v) => {
    g.output(`new.${keyName(layer)}`, k)
    g.output(`new.${valueName(layer)}`, v)
    return attend(layer, q, k, v)
  }
}

/**
 * Inputs: input_ids int64 [B, P] padded on the right, attention_mask bool [B, P], position_ids int64 [B, P], gather int64
 * [B] (each row's last token in the [B·P] grid). Outputs: logits [B, V] of those tokens, new.key.N and new.value.N
 * [B, kvHeads, P, D].
 */
export function prefillGraph(
  g: Graph,
  config: Qwen2Config,
  parameters: Parameters,
  { batch, prompt }: { batch: number; prompt: number },
  decoder: Decoder,
): void {
  const ids = g.input('input_ids', [batch, prompt], 'int64')
  const attentionMask = g.input('attention_mask', [batch, prompt], 'bool')
  const positions = g.input('position_ids', [batch, prompt], 'int64')
  const last = g.input('gather', [batch], 'int64')
  const attend = yielding(g, attentionWithin(g, config, attentionMask))
  const hidden = decoder(g, config, parameters, { ids, positions }, attend, prompt)
  g.output('logits', g.linear(g.raw.gather(hidden, last), outputMatrix(config, parameters)))
}

/**
 * Inputs: input_ids int64 [B, 1], position_ids int64 [B, 1], mask [B, 1, 1, capacity+1] (0 at places of the cache that hold
 * a token and at the new token, `MASKED_SCORE` elsewhere), key.N and value.N [B, kvHeads, capacity, D]. Outputs: logits
 * [B, V], new.key.N and new.value.N [B, kvHeads, 1, D].
 */
export function stepGraph(
  g: Graph,
  config: Qwen2Config,
  parameters: Parameters,
  { batch, capacity }: { batch: number; capacity: number },
  decoder: Decoder,
): void {
  const ids = g.input('input_ids', [batch, 1], 'int64')
  const positions = g.input('position_ids', [batch, 1], 'int64')
  const attend = yielding(g, attentionToCache(g, config, batch, capacity))
  const hidden = decoder(g, config, parameters, { ids, positions }, attend, capacity)
  g.output('logits', g.linear(hidden, outputMatrix(config, parameters)))
}

function attentionToCache(g: Graph, config: Qwen2Config, batch: number, capacity: number): Attend {
  const { heads, kvHeads, headDim } = config
  const group = heads / kvHeads
  const mask = g.input('mask', [batch, 1, 1, capacity + 1])
  const cache = (name: string) => g.input(name, [batch, kvHeads, capacity, headDim])
  const alpha = 1 / Math.sqrt(headDim)
  const { raw } = g
  return (layer, q, k, v) => {
    const [keys, values] = [cache(keyName(layer)), cache(valueName(layer))] as [Value, Value]
    const rows = raw.reshape(q, [batch, kvHeads, group, headDim])
    const scores = raw.concat(
      [raw.matmul(rows, keys, { transB: true, alpha }), raw.matmul(rows, k, { transB: true, alpha })],
      3,
    )
    const [old, newest] = raw.split(g.softmax(raw.add(scores, mask)), 3, [capacity, 1])
    const mixed = raw.add(raw.matmul(old!, values), raw.mul(newest!, v))
    return raw.reshape(mixed, [batch, heads, 1, headDim])
  }
}

/**
 * Inputs: input_ids int64 [B, C] padded on the right, position_ids int64 [B, C], mask [B, 1, 1, capacity] (0 at places of
 * the cache that hold a token, `MASKED_SCORE` elsewhere), key.N and value.N [B, kvHeads, capacity, D], gather int64 [B]
 * (each row's last given token in the [B·C] grid). Outputs: logits [B, V] of those tokens, new.key.N and new.value.N
 * [B, kvHeads, C, D].
 */
export function extendGraph(
  g: Graph,
  config: Qwen2Config,
  parameters: Parameters,
  { batch, columns, capacity }: { batch: number; columns: number; capacity: number },
  decoder: Decoder,
): void {
  const ids = g.input('input_ids', [batch, columns], 'int64')
  const positions = g.input('position_ids', [batch, columns], 'int64')
  const last = g.input('gather', [batch], 'int64')
  const attend = yielding(g, attentionBesideCache(g, config, { batch, columns, capacity }))
  const hidden = decoder(g, config, parameters, { ids, positions }, attend, capacity)
  g.output('logits', g.linear(g.raw.gather(hidden, last), outputMatrix(config, parameters)))
}

/** Given token i sees the cache and the given tokens j ≤ i. Padding stands behind a row's tokens, so none of them sees it. */
function attentionBesideCache(
  g: Graph,
  config: Qwen2Config,
  { batch, columns, capacity }: { batch: number; columns: number; capacity: number },
): Attend {
  const { heads, kvHeads, headDim } = config
  const group = heads / kvHeads
  const mask = g.input('mask', [batch, 1, 1, capacity])
  const cache = (name: string) => g.input(name, [batch, kvHeads, capacity, headDim])
  const alpha = 1 / Math.sqrt(headDim)
  const { raw } = g
  const order = Uint8Array.from({ length: columns * columns }, (_, k) =>
    k % columns <= Math.floor(k / columns) ? 1 : 0,
  )
  const visible = g.constant('causal', [1, 1, 1, columns, columns], { raw: order }, 'bool')
  const triangle = raw.where(visible, raw.scalar(0), raw.scalar(MASKED_SCORE))
  return (layer, q, k, v) => {
    const [keys, values] = [cache(keyName(layer)), cache(valueName(layer))] as [Value, Value]
    const rows = raw.reshape(q, [batch, kvHeads, group * columns, headDim])
    const toCache = raw.add(raw.matmul(rows, keys, { transB: true, alpha }), mask)
    const within = raw.reshape(raw.matmul(rows, k, { transB: true, alpha }), [batch, kvHeads, group, columns, columns])
    const toGiven = raw.reshape(raw.add(within, triangle), [batch, kvHeads, group * columns, columns])
    const [old, given] = raw.split(g.softmax(raw.concat([toCache, toGiven], 3)), 3, [capacity, columns])
    const mixed = raw.add(raw.matmul(old!, values), raw.matmul(given!, v))
    return raw.reshape(mixed, [batch, heads, columns, headDim])
  }
}
