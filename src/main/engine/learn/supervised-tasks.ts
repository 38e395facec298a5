/** What SFT and Bradley–Terry do not share: how a step's gradient and an epoch's validation come about. */
import type { EncodedPair, EncodedRow } from '../../../shared/rows.ts'
import type { RewardTraceRow, SftTraceRow, UpdateLine, ValidationLine } from '../../../shared/stage.ts'
import { lastTokenMask, layOutBatch, shapeFor, type TokenRow } from '../nn/batch.ts'
import { bradleyTerryObjective, sftObjective } from '../nn/objectives.ts'
import { tensor } from '../runtime/session.ts'
import type { Learner } from './learner.ts'
import { microBatchRows } from './micro-batch.ts'
import { bradleyTerry } from './ppo-math.ts'
import { rewardScores, tokenLogProbs } from './reading.ts'
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
const READING_ROWS = 16

const add = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Tokens that are learned: all of a response, the policy's own of a conversation. */
const activeTokens = ({ completionIds, actionMask }: TokenRow) =>
  actionMask === undefined ? completionIds.length : actionMask.filter(Boolean).length

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

/** Bradley–Terry: −mean over the step's pairs of log σ(r_chosen − r_rejected). */
export function pairTask({ model, base }: StageContext, examples: readonly Example[], perStep: number): SupervisedTask {
  const pairs = examples as readonly EncodedPair[]
  const whole = shapeFor(
    pairs.flatMap((pair): TokenRow[] => [pair.chosen, pair.rejected]),
    2 * perStep,
  )
  const micro = Math.max(1, Math.floor(microBatchRows(base.config, whole.prompt + whole.response, 1, 2 * perStep) / 2))
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
        const extra = {
          last_mask: lastTokenMask(batch),
          pair_weights: tensor('float32', weights, [micro]),
        }
        const result = await model.evaluate(
          'bradley-terry',
          bradleyTerryObjective,
          learner.role.layout,
          learner.role.state,
          batch,
          extra,
          learner.part,
        )
        learner.accumulate(result.loss![0]!)
        loss += result.loss![0]!
        part.forEach((pair, i) => {
          traces.push({ id: pair.id, chosen: result.scores![i]!, rejected: result.scores![micro + i]! })
        })
      }
      return { loss, denominator, rows: traces }
    },
    async validate(role, held, epoch) {
      const heldPairs = held as readonly EncodedPair[]
      const shape = { ...whole, batch: Math.min(READING_ROWS, 2 * micro) }
      const scores = await rewardScores(
        model,
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
