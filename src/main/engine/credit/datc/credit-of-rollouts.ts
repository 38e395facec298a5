/**
 * Direction-aware token credit of stored rollouts: their rewards give the response's advantage, the reward model's
 * gradients and the policy's distributions give each token's share of it.
 */
import { BadInput } from '../../../../shared/bad-input.ts'
import type { DatcRow } from '../../../../shared/credit.ts'
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { microBatchRows } from '../../learn/micro-batch.ts'
import type { Role } from '../../learn/role.ts'
import type { StageContext } from '../../learn/stage-context.ts'
import { type BatchShape, shapeFor, type TokenRow } from '../../nn/batch.ts'
import { TorchRandom } from '../../random/torch-random.ts'
import { groupAdvantages, groupDeviations } from '../group-advantages.ts'
import { ofActions, type TrainedRow, trainedRow } from '../trained-row.ts'
import { type DirectionalCredit, directionalCredit } from './directional-credit.ts'
import { isContent } from './formatting.ts'
import { readRewardGradients, standardisedGradients } from './input-gradients.ts'
import { creditsFor, tokenWeights, type WeightSettings } from './token-weights.ts'
import { vocabularySums } from './vocabulary-sums.ts'

/** Rows of one reading; fewer where they would not fit in memory. */
const READING_ROWS = 16

/** A model on its device, with the adapter that makes it policy or judge. */
export interface ReadModel<R extends Role | null = Role | null> {
  readonly context: StageContext
  readonly role: R
}

export interface DatcOptions extends WeightSettings {
  /** Of the permutations, for `shuffled`. */
  readonly seed: number
}

export type OnPhase = (phase: string, done: number, total: number) => void | Promise<void>

/**
 * Rollouts without a reward are left out, of the groups too.
 * @param file named in messages
 * @throws BadInput naming the row whose ids are missing or do not fit the models
 */
export async function creditOfRollouts(
  actor: ReadModel,
  reward: ReadModel<Role>,
  trajectories: readonly Trajectory[],
  file: string,
  options: DatcOptions,
  onPhase?: OnPhase,
): Promise<DatcRow[]> {
  const graded = trajectories.filter((trajectory) => trajectory.reward !== null)
  const rows = graded.map((trajectory) => readableRow(trajectory, file, [actor.context, reward.context]))
  const advantages = groupAdvantages(graded)
  const directions = await directionsOf(actor, reward, rows, groupDeviations(graded), onPhase)
  const random = new TorchRandom(options.seed)
  return rows.map((row, i) => {
    const ids = ofActions(row, row.completionIds)
    const content = ids.map((id) => isContent(actor.context.tokenizer, id))
    const count = content.filter((inside) => inside).length
    const permutation = options.ablation === 'shuffled' ? random.randperm(count) : undefined
    const advantage = advantages[i]!
    const credited = tokenWeights(
      creditsFor(directions[i]!, options.ablation),
      advantage,
      content,
      options,
      permutation,
    )
    return {
      id: row.id,
      advantage,
      weights: credited.weights,
      directional_credit: directions[i]!.map((direction) => direction.credit),
      cosine: directions[i]!.map((direction) => direction.cosine),
      content,
      temperature: credited.temperature,
      predicted_gain: credited.predictedGain,
      predicted_gain_uniform: credited.predictedGainUniform,
    }
  })
}

/** One `DirectionalCredit` an action token. `deviations`: of each row's group's rewards. */
export async function directionsOf(
  actor: ReadModel,
  reward: ReadModel<Role>,
  rows: readonly TrainedRow[],
  deviations: readonly number[],
  onPhase?: OnPhase,
): Promise<DirectionalCredit[][]> {
  const shape = readingShape(reward.context, rows)
  const readings = await readRewardGradients(reward.context.model, reward.role, rows, shape, {
    baseScore: false,
    onRows: (done) => onPhase?.('reward gradients', done, rows.length),
  })
  const standardised = standardisedGradients(
    readings.map(({ inputGradient }) => inputGradient),
    deviations,
  )
  const sums = await vocabularySums(
    actor.context.model,
    actor.role,
    rows,
    standardised,
    readingShape(actor.context, rows),
    reward.context.base.sha256() === actor.context.base.sha256() ? undefined : reward.context.model.weights,
    (done) => onPhase?.('directional credit', done, rows.length),
  )
  return sums.map((row, i) => ofActions(rows[i]!, row).map(directionalCredit))
}

export function readingShape({ base }: StageContext, rows: readonly TokenRow[]): BatchShape {
  const whole = shapeFor(rows, 1)
  const wanted = Math.min(rows.length, READING_ROWS)
  return { ...whole, batch: microBatchRows(base.config, whole.prompt + whole.response, whole.response, wanted) }
}

/** A trajectory's row, with ids that every model has and no more tokens than they have positions for. */
export function readableRow(trajectory: Trajectory, file: string, contexts: readonly StageContext[]): TrainedRow {
  const row = trainedRow(trajectory, file)
  const ids = [...row.promptIds, ...row.completionIds]
  for (const { base } of contexts) {
    const { vocabSize, maxPositions } = base.config
    const refuse = (problem: string): never => {
      throw new BadInput(file, `${problem} of ${base.dir}`, `row ${row.id}`)
    }
    const outside = ids.find((id) => id >= vocabSize)
    if (outside !== undefined) refuse(`token id ${outside} is outside the vocabulary of ${vocabSize}`)
    if (ids.length > maxPositions) refuse(`has ${ids.length} tokens, more than the ${maxPositions} positions`)
  }
  return row
}
