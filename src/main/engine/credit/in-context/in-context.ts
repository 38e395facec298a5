/**
 * What scored examples in a prompt do to the distribution of the next token: the shift with its bound, the attention that
 * carries it with its bound, each layer alone, and how much of the shift another order of the scores makes. Trains nothing.
 *
 * With p the next token after the whole row and q after the same ids at the same positions where no layer sees the examples,
 * KL is that of `distribution-shift.ts`, and each layer's update that of `attention-update.ts`. The two bounds are not
 * chained: between them lie the feed-forward blocks and every later layer.
 */
import type { InContextLayer, InContextRow } from '../../../../shared/in-context.ts'
import type { EncodedExample, ScoredPrompt } from '../../../rows/encode-scored-examples.ts'
import { microBatchRows } from '../../learn/micro-batch.ts'
import type { OnRows } from '../../learn/reading.ts'
import type { Role } from '../../learn/role.ts'
import { columnMultiple } from '../../nn/batch.ts'
import type { Model } from '../../nn/model.ts'
import { NonFinite } from '../../optim/non-finite.ts'
import { mean } from '../../study/statistics.ts'
import { headUpdate, massOn } from './attention-update.ts'
import { distributionShift, divergence, entropy, logSoftmax, mostChanged } from './distribution-shift.ts'
import {
  type AttentionAt,
  type MaskedPrompt,
  type MaskedReading,
  type ReadingShape,
  readMasked,
} from './masked-reading.ts'

/** Prompts in one forward pass; more do not compute faster on a processor. */
const READING_ROWS = 8
const CHANGED_TOKENS = 8

/** One token on a terminal or in JSON. */
export type TokenText = (id: number) => string

/** Forward readings of one row: with, without, each layer alone, and the control where there is one. */
export function promptsOf({ ids, span, control }: ScoredPrompt, layers: number): MaskedPrompt[] {
  const masked = (hiddenIn: MaskedPrompt['hiddenIn']) => ({ ids, span, hiddenIn })
  return [
    masked('none'),
    masked('all'),
    ...Array.from({ length: layers }, (_, layer) => masked(layer)),
    ...(control === null ? [] : [{ ids: control.ids, span: control.span, hiddenIn: 'none' as const }]),
  ]
}

/**
 * @param onRows told of prompts read, of `promptsOf` all rows
 * @throws NonFinite naming the row where the model gives a logit that is no number
 */
export async function readInContext(
  model: Model,
  policy: Role | null,
  rows: readonly ScoredPrompt[],
  tokenText: TokenText,
  onRows?: OnRows,
  shape?: ReadingShape,
): Promise<InContextRow[]> {
  const { layers } = model.base.config
  const prompts = rows.map((row) => promptsOf(row, layers))
  const whole = prompts.flat()
  const results: InContextRow[] = []
  // Of the row that is being read; its prompts stand one after another.
  let logProbs: Float64Array[] = []
  let attention: Attention | undefined
  const onReading = (reading: MaskedReading) => {
    const row = rows[results.length]!
    // Numbers of a batch go with it: attention is reduced to what is reported at once.
    if (logProbs.length === 0) attention = attentionOn(row, reading.layers)
    logProbs.push(finiteLogSoftmax(reading.logits, row.id))
    if (logProbs.length < prompts[results.length]!.length) return
    results.push(rowOf(row, logProbs, attention!, layers, tokenText))
    logProbs = []
  }
  await readMasked(model, policy, whole, shape ?? readingShape(model, whole), onReading, onRows)
  return results
}

function readingShape(model: Model, prompts: readonly MaskedPrompt[]): ReadingShape {
  const longest = Math.max(...prompts.map(({ ids }) => ids.length))
  const columns = Math.ceil(longest / columnMultiple) * columnMultiple
  return { batch: microBatchRows(model.base.config, columns, 1, Math.min(prompts.length, READING_ROWS)), columns }
}

function finiteLogSoftmax(logits: ArrayLike<number>, id: string): Float64Array {
  const at = Array.prototype.findIndex.call(logits, (value: number) => !Number.isFinite(value))
  if (at !== -1) throw new NonFinite('logits', at, logits[at]!, `row ${id}, token id ${at}`)
  return logSoftmax(logits)
}

interface Attention {
  readonly layers: readonly Omit<InContextLayer, 'kl_alone'>[]
  /** By example. */
  readonly masses: readonly { readonly mass: number; readonly score_mass: number }[]
}

function attentionOn({ span, examples }: ScoredPrompt, layers: readonly AttentionAt[]): Attention {
  const heads = layers.flatMap(({ weights }) => weights)
  const over = (columns: Parameters<typeof massOn>[1]) => mean(heads.map((weights) => massOn(weights, columns)))
  return {
    layers: layers.map(({ weights, values }, layer) => {
      const updates = weights.map((ofHead, h) => headUpdate(ofHead, values[h]!, span))
      const known = updates.flatMap(({ update }) => update ?? [])
      const whole = known.length === updates.length
      const masses = updates.map(({ mass }) => mass)
      return {
        layer,
        mass_mean: mean(masses),
        mass_max: Math.max(...masses),
        output_norm: Math.hypot(...updates.map(({ output }) => output)),
        update_norm: whole ? Math.hypot(...known.map(({ norm }) => norm)) : null,
        update_bound: whole ? Math.hypot(...known.map(({ bound }) => bound)) : null,
      }
    }),
    masses: examples.map((example) => ({ mass: over(example), score_mass: over(example.scoreColumns) })),
  }
}

function rowOf(
  row: ScoredPrompt,
  logProbs: readonly Float64Array[],
  attention: Attention,
  layers: number,
  tokenText: TokenText,
): InContextRow {
  const [p, q] = logProbs as [Float64Array, Float64Array]
  const { id, ids, span, examples, control } = row
  return {
    id,
    tokens: ids.length,
    example_tokens: span.end - span.start,
    entropy_with: entropy(p),
    entropy_without: entropy(q),
    shift: distributionShift(p, q),
    changed_tokens: mostChanged(p, q, CHANGED_TOKENS).map((token) => ({
      id: token,
      text: tokenText(token),
      with: Math.exp(p[token]!),
      without: Math.exp(q[token]!),
    })),
    mass_mean: mean(attention.layers.map(({ mass_mean }) => mass_mean)),
    mass_max: Math.max(...attention.layers.map(({ mass_max }) => mass_max)),
    layers: attention.layers.map((layer, l) => ({ ...layer, kl_alone: divergence(p, logProbs[2 + l]!) })),
    examples: examples.map((example: EncodedExample, k) => ({
      score: example.score,
      tokens: example.end - example.start,
      ...attention.masses[k]!,
    })),
    scores:
      control === null
        ? null
        : {
            order: control.order,
            same_positions: control.samePositions,
            shift: distributionShift(p, logProbs[2 + layers]!),
          },
  }
}
