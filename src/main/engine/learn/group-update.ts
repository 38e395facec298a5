/** One epoch over fixed, credited rollouts: the clipped policy step with the divergence from the reference. */
import type { PolicyObservation, PolicyUpdate } from '../../../shared/group-run.ts'
import type { TrainedRow } from '../credit/trained-row.ts'
import { type BatchShape, cutToRows, perToken } from '../nn/batch.ts'
import { groupObjective } from '../nn/group-objectives.ts'
import { accumulateGradient } from './accumulate-gradient.ts'
import { groupLoss } from './group-math.ts'
import type { Learner } from './learner.ts'
import type { StageContext } from './stage-context.ts'

/** What is fixed about a rollout from its sampling on: one number a completion token, 0 at observations. */
export interface CreditedRow {
  readonly row: TrainedRow
  readonly old: readonly number[]
  readonly reference: readonly number[]
  readonly advantages: readonly number[]
}

export interface GroupStep {
  readonly update: number
  readonly epoch: number
  readonly learningRate: number
  readonly weightDecay: number
  readonly gradientClip: number
  readonly epsilon: number
  readonly klCoefficient: number
}

/**
 * Clears the learner, and leaves in it the gradient of the loss at its present parameters.
 * @returns log-probabilities of the completion tokens under those parameters, one list a row
 */
export async function groupGradient(
  { model }: StageContext,
  learner: Learner,
  rows: readonly CreditedRow[],
  shape: BatchShape,
  { epsilon, klCoefficient }: Pick<GroupStep, 'epsilon' | 'klCoefficient'>,
): Promise<(readonly number[])[]> {
  const { state, layout } = learner.role
  const objective = groupObjective(epsilon, klCoefficient)
  const read = await accumulateGradient(
    learner,
    rows,
    ({ row }) => row,
    shape,
    async (batch, part, weights) => {
      const tensor = (of: (row: CreditedRow) => readonly number[]) => perToken(part.map(of), shape)
      const result = await model.evaluate(
        `group ${epsilon}/${klCoefficient}`,
        objective,
        layout,
        state,
        batch,
        {
          old_log_probs: tensor((row) => row.old),
          advantages: tensor((row) => row.advantages),
          ...(klCoefficient > 0 && { reference_log_probs: tensor((row) => row.reference) }),
          weights,
        },
        learner.part,
      )
      return { loss: result.loss![0]!, perToken: cutToRows(result.log_probs!, batch) }
    },
  )
  return read.perToken
}

/** Takes the step on the gradient that `groupGradient` left, and says what it was taken on. */
export function groupStep(
  learner: Learner,
  rows: readonly CreditedRow[],
  logProbs: readonly (readonly number[])[],
  step: GroupStep,
): PolicyUpdate {
  const norm = learner.step({
    learningRate: step.learningRate,
    weightDecay: step.weightDecay,
    maxNorm: step.gradientClip,
  })
  const masks = rows.map(({ row }) => row.actionMask)
  const of = (pick: (row: CreditedRow) => readonly number[]) => rows.map(pick)
  const loss = groupLoss(
    logProbs,
    of((row) => row.old),
    of((row) => row.reference),
    of((row) => row.advantages),
    masks,
    step,
  )
  return {
    update: step.update,
    epoch_within_rollout: step.epoch,
    learning_rate: step.learningRate,
    loss: loss.loss,
    grad_norm: norm,
    clip_fraction: loss.clipFraction,
    reference_divergence: loss.divergence,
    equal_response_denominator: rows.length,
    observations: rows.map(({ row, old }, i): PolicyObservation => {
      const actions = <T>(values: readonly T[]) => values.filter((_, t) => row.actionMask[t])
      const [now, then] = [actions(logProbs[i]!), actions(old)]
      return {
        rollout_id: row.id,
        current_token_logprobs: now,
        ratios: actions(loss.ratios[i]!),
        loss: loss.responseLosses[i]!,
        old_logprob_max_difference: now.reduce((most, value, t) => Math.max(most, Math.abs(value - then[t]!)), 0),
      }
    }),
  }
}
