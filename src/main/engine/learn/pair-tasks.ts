/**
 * Learning from preference pairs: Bradley–Terry on a reward model's scores, and direct preference optimisation on the
 * policy's own log-ratios. Both are the same loss of a margin; they differ in where a response's number comes from.
 */
import type { EncodedPair, EncodedRow } from '../../../shared/rows.ts'
import type { RewardTraceRow } from '../../../shared/stage.ts'
import { type Batch, type BatchShape, lastTokenMask, layOutBatch, shapeFor, type TokenRow } from '../nn/batch.ts'
import { dpoObjective } from '../nn/group-objectives.ts'
import { bradleyTerryObjective } from '../nn/objectives.ts'
import { type Tensor, tensor } from '../runtime/session.ts'
import type { Learner } from './learner.ts'
import { microBatchRows } from './micro-batch.ts'
import { bradleyTerry } from './ppo-math.ts'
import { rewardScores, tokenLogProbs } from './reading.ts'
import type { Role } from './role.ts'
import type { StageContext } from './stage-context.ts'
import { add, type Example, READING_ROWS, type SupervisedTask } from './supervised-tasks.ts'

/** A response's number, whose difference within a pair is the margin. */
interface PairScoring {
  /** Columns at which the vocabulary is read, for the size of a batch. */
  readonly readColumns: (shape: BatchShape) => number
  /** Rows 0..B/2−1 are chosen, the others rejected; the gradient is left in `learner.part`. */
  gradient(learner: Learner, batch: Batch, pairWeights: Tensor): Promise<{ loss: number; scores: ArrayLike<number> }>
  scores(role: Role, rows: readonly EncodedRow[], shape: BatchShape): Promise<readonly number[]>
}

/** Bradley–Terry: −mean over the step's pairs of log σ(r_chosen − r_rejected). */
export function pairTask(context: StageContext, examples: readonly Example[], perStep: number): SupervisedTask {
  const { model } = context
  return overPairs(context, examples as readonly EncodedPair[], perStep, {
    readColumns: () => 1,
    gradient: async (learner, batch, pairWeights) => {
      const { layout, state } = learner.role
      const extra = { last_mask: lastTokenMask(batch), pair_weights: pairWeights }
      const result = await model.evaluate(
        'bradley-terry',
        bradleyTerryObjective,
        layout,
        state,
        batch,
        extra,
        learner.part,
      )
      return { loss: result.loss![0]!, scores: result.scores! }
    },
    scores: (role, rows, shape) => rewardScores(model, role, rows, shape),
  })
}

/**
 * Direct preference optimisation: −mean of log σ(β[(log π − log π_ref)(chosen) − (log π − log π_ref)(rejected)]). What is
 * recorded of a response is its implicit reward β(log π − log π_ref), sums over its tokens.
 * @param reference frozen; read once for every pair before the first step
 */
export async function dpoTask(
  context: StageContext,
  examples: readonly Example[],
  perStep: number,
  { reference, beta }: { readonly reference: Role; readonly beta: number },
): Promise<SupervisedTask> {
  const { model, base } = context
  const pairs = examples as readonly EncodedPair[]
  const rows = pairs.flatMap((pair) => [pair.chosen, pair.rejected])
  const whole = shapeFor(rows, READING_ROWS)
  const batch = microBatchRows(base.config, whole.prompt + whole.response, whole.response, READING_ROWS)
  const frozen = await sums(rows, reference, { ...whole, batch })
  const referenceOf = new Map<TokenRow, number>(rows.map((row, i) => [row, frozen[i]!]))

  async function sums(of: readonly TokenRow[], role: Role, shape: BatchShape): Promise<number[]> {
    return (await tokenLogProbs(model, role, of, shape)).map(add)
  }
  return overPairs(context, pairs, perStep, {
    readColumns: ({ response }) => response,
    gradient: async (learner, laidOut, pairWeights) => {
      const { layout, state } = learner.role
      // Rows that only fill the batch have no reference; their weight is 0.
      const sumsOf = Float32Array.from(laidOut.rows, (row) => referenceOf.get(row) ?? 0)
      const result = await model.evaluate(
        `dpo ${beta}`,
        dpoObjective(beta),
        layout,
        state,
        laidOut,
        { reference_sums: tensor('float32', sumsOf, [sumsOf.length]), pair_weights: pairWeights },
        learner.part,
      )
      return { loss: result.loss![0]!, scores: Array.from(result.gains!, (gain) => beta * gain) }
    },
    scores: async (role, held, shape) =>
      (await sums(held, role, shape)).map((sum, i) => beta * (sum - referenceOf.get(held[i]!)!)),
  })
}

function overPairs(
  { base }: StageContext,
  pairs: readonly EncodedPair[],
  perStep: number,
  scoring: PairScoring,
): SupervisedTask {
  const whole = shapeFor(
    pairs.flatMap((pair): TokenRow[] => [pair.chosen, pair.rejected]),
    2 * perStep,
  )
  const fitting = microBatchRows(base.config, whole.prompt + whole.response, scoring.readColumns(whole), 2 * perStep)
  const micro = Math.max(1, Math.floor(fitting / 2))
  const trainShape = { ...whole, batch: 2 * micro }
  return {
    denominatorKind: 'pairs',
    async accumulate(learner, step) {
      const stepPairs = step as readonly EncodedPair[]
      const denominator = stepPairs.length
      let loss = 0
      const traces: RewardTraceRow[] = []
      for (let start = 0; start < stepPairs.length; start += micro) {
        const part = stepPairs.slice(start, start + micro)
        // A short last micro-batch keeps the layout [chosen…, rejected…] at the compiled positions; weight 0 elsewhere.
        const empty: TokenRow = { promptIds: [0], completionIds: [] }
        const side = (pick: (pair: EncodedPair) => TokenRow) =>
          Array.from({ length: micro }, (_, i) => (part[i] ? pick(part[i]) : empty))
        const batch = layOutBatch([...side((pair) => pair.chosen), ...side((pair) => pair.rejected)], trainShape)
        const weights = Float32Array.from({ length: micro }, (_, i) => (i < part.length ? 1 / denominator : 0))
        const result = await scoring.gradient(learner, batch, tensor('float32', weights, [micro]))
        learner.accumulate(result.loss)
        loss += result.loss
        part.forEach((pair, i) => {
          traces.push({ id: pair.id, chosen: result.scores[i]!, rejected: result.scores[micro + i]! })
        })
      }
      return { loss, denominator, rows: traces }
    },
    async validate(role, held, epoch) {
      const heldPairs = held as readonly EncodedPair[]
      const shape = { ...whole, batch: Math.min(READING_ROWS, 2 * micro) }
      const scores = await scoring.scores(
        role,
        heldPairs.flatMap((pair) => [pair.chosen, pair.rejected]),
        shape,
      )
      const traces = heldPairs.map(
        (pair, i): RewardTraceRow => ({ id: pair.id, chosen: scores[2 * i]!, rejected: scores[2 * i + 1]! }),
      )
      return {
        kind: 'validation',
        epoch,
        population: held.length,
        loss: add(traces.map(({ chosen, rejected }) => bradleyTerry(chosen - rejected).loss)) / held.length,
        accuracy: traces.filter(({ chosen, rejected }) => chosen > rejected).length / held.length,
        ties: traces.filter(({ chosen, rejected }) => chosen === rejected).length,
        rows: traces,
        used_for_selection: false,
      }
    },
  }
}
