/**
 * What the supervised stages do not share, how a step's gradient and an epoch's validation come about; and cross-entropy on
 * demonstrations. Preference pairs are `pair-tasks.ts`'s.
 */
import type { EncodedPair, EncodedRow } from '../../../shared/rows.ts'
import type { SftTraceRow, UpdateLine, ValidationLine } from '../../../shared/stage.ts'
import { activeTokens, layOutBatch, shapeFor } from '../nn/batch.ts'
import { sftObjective } from '../nn/objectives.ts'
import { tensor } from '../runtime/session.ts'
import type { Learner } from './learner.ts'
import { microBatchRows } from './micro-batch.ts'
import { tokenLogProbs } from './reading.ts'
import type { Role } from './role.ts'
import type { StageContext } from './stage-context.ts'

export type Example = EncodedRow | EncodedPair

export interface SupervisedTask {
  readonly denominatorKind: UpdateLine['denominator_kind']
  /** Adds the gradient of one optimizer step; the loss is the step's, already divided by its denominator. */
  accumulate(
    learner: Learner,
    examples: readonly Example[],
  ): Promise<{ loss: number; denominator: number; rows: UpdateLine['rows'] }>
  validate(role: Role, examples: readonly Example[], epoch: number): Promise<ValidationLine>
}

/** Rows of one forward-only batch: large enough that the threads have work, small enough to stay in cache. */
export const READING_ROWS = 16

export const add = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/**
 * Cross-entropy on response tokens, EOS included: −Σ log-probs of the step / active tokens of the step. Long responses
 * weigh by their tokens; a mean of response means would be another loss.
 */
export function sftTask({ model, base }: StageContext, examples: readonly Example[], perStep: number): SupervisedTask {
  // Validation reads the chosen response of pairs as well as demonstrations.
  const rowOf = (example: Example): EncodedRow => ('chosen' in example ? example.chosen : example)
  const rows = examples.map(rowOf)
  const whole = shapeFor(rows, perStep)
  const micro = microBatchRows(base.config, whole.prompt + whole.response, whole.response, perStep)
  const trainShape = { ...whole, batch: micro }
  const readShape = { ...whole, batch: Math.max(micro, Math.min(READING_ROWS, 2 * micro)) }
  // Log-probabilities of observations are 0 in every reading, so sums need no mask.
  const trace = (row: EncodedRow, logProbs: readonly number[]): SftTraceRow => ({
    id: row.id,
    tokens: activeTokens(row),
    sum_logprob: add(logProbs),
  })
  return {
    denominatorKind: 'active_response_tokens',
    async accumulate(learner, step) {
      const stepRows = step.map(rowOf)
      const denominator = add(stepRows.map(activeTokens))
      const inverse = { inverse_denominator: tensor('float32', Float32Array.of(1 / denominator), []) }
      let loss = 0
      const traces: SftTraceRow[] = []
      for (let start = 0; start < stepRows.length; start += micro) {
        const part = stepRows.slice(start, start + micro)
        const batch = layOutBatch(part, trainShape)
        const result = await model.evaluate(
          'sft',
          sftObjective,
          learner.role.layout,
          learner.role.state,
          batch,
          inverse,
          learner.part,
        )
        learner.accumulate(result.loss![0]!)
        loss += result.loss![0]!
        part.forEach((row, b) => {
          const from = b * whole.response
          traces.push(trace(row, Array.from(result.log_probs!.subarray(from, from + row.completionIds.length))))
        })
      }
      return { loss, denominator, rows: traces }
    },
    async validate(role, held, epoch) {
      const heldRows = held.map(rowOf)
      const logProbs = await tokenLogProbs(model, role, heldRows, readShape)
      const traces = heldRows.map((row, i) => trace(row, logProbs[i]!))
      const loss = -add(traces.map((row) => row.sum_logprob)) / add(traces.map((row) => row.tokens))
      return { kind: 'validation', epoch, population: held.length, loss, rows: traces, used_for_selection: false }
    },
  }
}
