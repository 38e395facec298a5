/**
 * The batch that an audit is about: rollouts as rows, and every trained position with the coefficient w·A that its
 * log-probability has in J = Σ w_k A_{k,t} log π(y_{k,t}). Where advantages come from is the caller's; knows no model.
 */
import { BadInput } from '../../../../shared/bad-input.ts'
import type { Reduction } from '../../../../shared/credit-audit.ts'
import type { Trajectory } from '../../../../shared/trajectory.ts'
import type { TokenRow } from '../../nn/batch.ts'
import { type TrainedRow, trainedRow } from '../trained-row.ts'
import { segmentsOf, type TrainedPosition } from './partition.ts'

export interface CreditPosition extends TrainedPosition {
  /** Where the token stands in its row's completion. */
  readonly column: number
  /** w·A: what the objective multiplies the token's log-probability with. */
  readonly coefficient: number
}

export interface CreditBatch {
  readonly rows: readonly TokenRow[]
  /** In the order of the rollouts and of their tokens. */
  readonly positions: readonly CreditPosition[]
}

/** Of whole trajectories. */
export interface TrajectoryBatch extends CreditBatch {
  readonly rows: readonly TrainedRow[]
}

export interface BatchLimits {
  readonly vocabSize: number
  /** Positions the checkpoint has. */
  readonly maxPositions: number
}

/**
 * @param advantages one number an action token, per rollout
 * @throws BadInput naming `file` and the rollout that cannot be trained on
 */
export function creditBatch(
  trajectories: readonly Trajectory[],
  advantages: readonly (readonly number[])[],
  reduction: Reduction,
  file: string,
  limits: BatchLimits,
): TrajectoryBatch {
  const rows = trajectories.map((trajectory) => fitting(trainedRow(trajectory, file), file, limits))
  const positions = rows.flatMap((row, rollout) => {
    const given = advantages[rollout] ?? []
    if (given.length !== row.places.length)
      throw new BadInput(
        file,
        `has ${given.length} advantages for ${row.places.length} assistant tokens`,
        `row ${row.id}`,
      )
    const segments = segmentsOf(trajectories[rollout]!, file)
    // `response-mean` is 1/(K·T_k): the mean over a response's action tokens, then over the K responses.
    const weight = reduction === 'sum' ? 1 : 1 / (rows.length * row.places.length)
    const columns = row.actionMask.flatMap((action, column) => (action ? [column] : []))
    return row.places.map(
      ({ turn, index }, i): CreditPosition => ({
        rollout,
        id: row.id,
        turn,
        index,
        segment: segments[turn]!,
        column: columns[i]!,
        coefficient: weight * given[i]!,
      }),
    )
  })
  return { rows, positions }
}

function fitting(row: TrainedRow, file: string, { vocabSize, maxPositions }: BatchLimits): TrainedRow {
  const ids = [...row.promptIds, ...row.completionIds]
  const alien = ids.find((id) => id >= vocabSize)
  if (alien !== undefined)
    throw new BadInput(file, `token id ${alien} is outside the model's vocabulary of ${vocabSize}`, `row ${row.id}`)
  if (ids.length > maxPositions)
    throw new BadInput(file, `has ${ids.length} tokens, the model ${maxPositions} positions`, `row ${row.id}`)
  return row
}

/** The same advantage at every action token of a rollout: how an outcome's advantage is spread. */
export const broadcast = ({ turns }: Trajectory, advantage: number): number[] =>
  turns.flatMap(({ role, token_ids }) => (role === 'assistant' ? (token_ids ?? []).map(() => advantage) : []))
