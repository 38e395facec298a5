/**
 * Next-token logits of prompts where chosen layers do not see a stretch of columns: the ids, their positions and everything
 * else stay as they are. Only queries behind the stretch are kept from it; what it says to itself changes nothing for them.
 */
import type { OnRows } from '../../learn/reading.ts'
import type { Role } from '../../learn/role.ts'
import { layOutBatch } from '../../nn/batch.ts'
import { attentionWithin, hiddenStates, outputMatrix } from '../../nn/decoder.ts'
import { type Model, type Numbers, noAdapter } from '../../nn/model.ts'
import type { Objective } from '../../nn/objectives.ts'
import { type Tensor, tensor } from '../../runtime/session.ts'

export interface MaskedPrompt {
  readonly ids: readonly number[]
  /** Columns from `start` to before `end`; none where they are equal. */
  readonly span: { readonly start: number; readonly end: number }
  /** Layers from which the columns are kept. */
  readonly hiddenIn: 'none' | 'all' | number
}

/** At the last position of one prompt. */
export interface MaskedReading {
  /** Over the vocabulary. */
  readonly logits: Numbers
  /** By layer. */
  readonly layers: readonly AttentionAt[]
}

/** One layer's attention as the last position reads it; columns are those of the prompt, without padding. */
export interface AttentionAt {
  /** By query head: one weight a column. */
  readonly weights: readonly Numbers[]
  /** By query head: row-major [columns, D], shared within a group. */
  readonly values: readonly Numbers[]
}

const weightsName = (layer: number) => `weights.${layer}`
const valuesName = (layer: number) => `values.${layer}`

/** Reads logits [B, V] at the last column, and each layer's weights [B, heads, T] there and values [B, kvHeads, T, D]. */
const maskedObjective: Objective = ({ g, config, parameters, shape: { batch, prompt: time } }) => {
  const { raw } = g
  const ids = g.input('input_ids', [batch, time], 'int64')
  const attentionMask = g.input('attention_mask', [batch, time], 'bool')
  const positions = g.input('position_ids', [batch, time], 'int64')
  const columns = raw.reshape(g.input('columns', [batch, time], 'bool'), [batch, 1, time])
  const behind = raw.reshape(g.input('behind', [batch, time], 'bool'), [batch, time, 1])
  const hiddenIn = g.input('hidden_in', [batch, config.layers], 'bool')
  const both = (a: typeof ids, b: typeof ids) =>
    raw.node('And', [a, b], [{ dtype: 'bool', shape: [batch, time, time] }])[0]!
  const stretch = both(behind, columns)
  const attend = attentionWithin(g, config, attentionMask, {
    hidden: (layer) => both(stretch, raw.reshape(raw.slice(hiddenIn, 1, layer, 1), [batch, 1, 1])),
    onWeights: (weights, layer, values) => {
      const last = raw.slice(weights, 2, time - 1, 1)
      g.output(weightsName(layer), raw.reshape(last, [batch, config.heads, time]))
      g.output(valuesName(layer), values)
    },
  })
  const hidden = hiddenStates(g, config, parameters, { ids, positions }, attend, time)
  const rows = g.reshape(hidden, [batch, time, config.hiddenSize])
  const last = g.reshape(g.slice(rows, 1, time - 1, 1), [batch, config.hiddenSize])
  g.output('logits', g.linear(last, outputMatrix(config, parameters)))
  return null
}

/** Rows of a graph and their columns; prompts are padded to it. */
export interface ReadingShape {
  readonly batch: number
  readonly columns: number
}

/**
 * In batches, in order: one reading a prompt. `onReading` gets each as it is made, so that no more than a batch is held.
 * @throws Error where a prompt is longer than the shape's columns
 */
export async function readMasked(
  model: Model,
  policy: Role | null,
  prompts: readonly MaskedPrompt[],
  { batch, columns }: ReadingShape,
  onReading: (reading: MaskedReading) => void,
  onRows?: OnRows,
): Promise<void> {
  const { layout, state } = policy ?? { layout: noAdapter, state: null }
  const shape = { batch, prompt: columns, response: 0 }
  for (let start = 0; start < prompts.length; start += batch) {
    const chosen = prompts.slice(start, start + batch)
    const laidOut = layOutBatch(
      chosen.map(({ ids }) => ({ promptIds: ids, completionIds: [] })),
      shape,
    )
    const extra = masks(model, chosen, batch, columns)
    const results = await model.evaluate('masked examples', maskedObjective, layout, state, laidOut, extra)
    chosen.forEach((prompt, b) => {
      onReading(readingOf(model, results, prompt.ids.length, b, columns))
    })
    await onRows?.(start + chosen.length)
  }
}

function masks(model: Model, prompts: readonly MaskedPrompt[], batch: number, time: number): Record<string, Tensor> {
  const { layers } = model.base.config
  const columns = new Uint8Array(batch * time)
  const behind = new Uint8Array(batch * time)
  const hiddenIn = new Uint8Array(batch * layers)
  prompts.forEach(({ ids, span, hiddenIn: where }, b) => {
    const first = b * time + time - ids.length
    columns.fill(1, first + span.start, first + span.end)
    behind.fill(1, first + span.end, (b + 1) * time)
    if (where === 'all') hiddenIn.fill(1, b * layers, (b + 1) * layers)
    else if (where !== 'none') hiddenIn[b * layers + where] = 1
  })
  return {
    columns: tensor('bool', columns, [batch, time]),
    behind: tensor('bool', behind, [batch, time]),
    hidden_in: tensor('bool', hiddenIn, [batch, layers]),
  }
}

function readingOf(
  model: Model,
  results: Readonly<Record<string, Numbers>>,
  tokens: number,
  b: number,
  time: number,
): MaskedReading {
  const { vocabSize, layers, heads, kvHeads, headDim } = model.base.config
  const padding = time - tokens
  const cut = (from: Numbers, start: number, end: number) => from.subarray(start, end) as Numbers
  return {
    logits: cut(results.logits!, b * vocabSize, (b + 1) * vocabSize),
    layers: Array.from({ length: layers }, (_, layer): AttentionAt => {
      const ofHead = (h: number) => (b * heads + h) * time
      const ofKeys = (h: number) => (b * kvHeads + Math.floor((h * kvHeads) / heads)) * time
      const each = (read: (h: number) => Numbers) => Array.from({ length: heads }, (_, h) => read(h))
      return {
        weights: each((h) => cut(results[weightsName(layer)]!, ofHead(h) + padding, ofHead(h) + time)),
        values: each((h) =>
          cut(results[valuesName(layer)]!, (ofKeys(h) + padding) * headDim, (ofKeys(h) + time) * headDim),
        ),
      }
    }),
  }
}
