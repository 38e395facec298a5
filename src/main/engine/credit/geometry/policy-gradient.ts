/**
 * The gradients an audit compares, taken from the policy itself: of the whole objective in one padded batch, of any part of
 * it in a pass of its own, and of every token along one direction. No result is made from another.
 */
import { narrowBf16, widenBf16 } from '../../checkpoint/float-widening.ts'
import type { LearnedState } from '../../checkpoint/learned-state.ts'
import { microBatchRows } from '../../learn/micro-batch.ts'
import type { Role } from '../../learn/role.ts'
import { type Batch, type BatchShape, layOutBatch, shapeFor } from '../../nn/batch.ts'
import type { GradientBuffer, LearnedLayout, Model, Numbers } from '../../nn/model.ts'
import { policyObjective } from '../../nn/objectives.ts'
import { tokenTangents } from '../../nn/token-tangents.ts'
import type { CreditBatch } from './credit-batch.ts'
import type { GradientSource, TokenDerivatives } from './disintegrate.ts'
import { VectorSum } from './vectors.ts'

/** The low-rank factors of a policy; a scalar head is no part of it. Shares the role's memory. */
export function policyParameters(role: Role): { layout: LearnedLayout; state: LearnedState } {
  const specs = role.state.specs.filter(({ name }) => !name.startsWith('head.'))
  const end = specs.reduce((length, { size }) => length + size, 0)
  return { layout: { ...role.layout, specs }, state: { specs, data: role.state.data.subarray(0, end) } }
}

export class PolicyGradient implements GradientSource {
  readonly float: 'float32' | 'float64'
  readonly size: number
  private readonly model: Model
  private readonly layout: LearnedLayout
  private readonly state: LearnedState
  private readonly batch: CreditBatch
  /** What passes are padded to. */
  readonly shape: BatchShape
  /** As the graphs see them: in the model's float type, rounded where it rounds. */
  private readonly coefficients: Numbers

  /**
   * @param shape what passes are padded to, so that a training run compiles its graphs once, and how many rows they take at
   * most; default: the batch's own columns, and all its rows where memory holds them
   */
  constructor(model: Model, role: Role, batch: CreditBatch, shape: Partial<BatchShape> = {}) {
    const { prompt, response } = { ...shapeFor(batch.rows, 1), ...shape }
    const { layout, state } = policyParameters(role)
    this.model = model
    this.float = model.float
    this.layout = layout
    this.state = state
    this.size = state.data.length
    this.batch = batch
    const rows = shape.batch ?? rowsAtOnce(model, batch.rows.length, prompt, response)
    this.shape = { batch: rows, prompt, response }
    const coefficients = model.floatArray(batch.positions.length)
    coefficients.set(batch.positions.map(({ coefficient }) => coefficient))
    this.coefficients =
      model.rounding === null ? coefficients : widenBf16(narrowBf16(coefficients as Float32Array<ArrayBuffer>))
  }

  buffer(): GradientBuffer {
    return { specs: this.state.specs, data: this.model.floatArray(this.size) }
  }

  full(into: GradientBuffer): Promise<number> {
    return this.backward(Array.from(this.batch.positions.keys()), this.shape, into)
  }

  part(positions: readonly number[], into: GradientBuffer): Promise<number> {
    const rows = new Set(positions.map((i) => this.batch.positions[i]!.rollout)).size
    // A part of one rollout needs no other row beside it.
    return this.backward(positions, rows === 1 ? { ...this.shape, batch: 1 } : this.shape, into)
  }

  async derivatives(direction: GradientBuffer): Promise<TokenDerivatives> {
    const values = new Float64Array(this.batch.positions.length)
    let passes = 0
    for (const { batch, tokens } of this.batches(Array.from(values.keys()), this.shape)) {
      const { tangents } = await tokenTangents(this.model, this.layout, this.state, direction, batch)
      for (const { position, at } of tokens) values[position] = this.coefficients[position]! * tangents[at]!
      passes++
    }
    return { values, passes }
  }

  /** @returns how many passes it took: one, or as many as the rows need where memory does not hold them at once */
  private async backward(positions: readonly number[], shape: BatchShape, into: GradientBuffer): Promise<number> {
    const batches = this.batches(positions, shape)
    const sum = batches.length > 1 ? new VectorSum(this.size, this.float) : null
    for (const { batch, tokens } of batches) {
      const weights = this.model.floatArray(shape.batch * shape.response)
      for (const { position, at } of tokens) weights[at] = this.coefficients[position]!
      const extra = { weights: this.model.floatTensor(weights, [shape.batch, shape.response]) }
      await this.model.evaluate('policy', policyObjective, this.layout, this.state, batch, extra, into)
      sum?.add(into.data)
    }
    if (sum !== null) into.data.set(sum.values())
    return batches.length
  }

  /** The rows of these positions, laid out in batches, with where each position's number stands in [B·R]. */
  private batches(
    positions: readonly number[],
    shape: BatchShape,
  ): { batch: Batch; tokens: { position: number; at: number }[] }[] {
    const of = (position: number) => this.batch.positions[position]!
    const rollouts = [...new Set(positions.map((position) => of(position).rollout))]
    return Array.from({ length: Math.ceil(rollouts.length / shape.batch) }, (_, i) => {
      const members = rollouts.slice(i * shape.batch, (i + 1) * shape.batch)
      const rowOf = new Map(members.map((rollout, row) => [rollout, row]))
      const rows = members.map((rollout) => this.batch.rows[rollout]!)
      const tokens = positions.flatMap((position) => {
        const { rollout, column } = of(position)
        const row = rowOf.get(rollout)
        return row === undefined ? [] : [{ position, at: row * shape.response + column }]
      })
      return { batch: layOutBatch(rows, shape), tokens }
    })
  }
}

/** Float64 takes twice the memory of the float32 that micro-batches are sized for. */
function rowsAtOnce(model: Model, rows: number, prompt: number, response: number): number {
  const fitting = microBatchRows(model.base.config, prompt + response, response, Number.MAX_SAFE_INTEGER)
  return Math.max(1, Math.min(rows, Math.floor(model.float === 'float64' ? fitting / 2 : fitting)))
}
