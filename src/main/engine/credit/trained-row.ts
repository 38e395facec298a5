/**
 * A trajectory as one row of a batch: everything before the first action token is the prompt, everything from it to the
 * last action token is the completion, and a mask says which completion tokens are actions. Knows no model.
 */
import { BadInput } from '../../../shared/bad-input.ts'
import type { Trajectory } from '../../../shared/trajectory.ts'
import type { TokenRow } from '../nn/batch.ts'

/** Where an action token stands: zero-based in `turns`, and in that turn's `token_ids`. */
export interface TokenPlace {
  readonly turn: number
  readonly index: number
}

export interface TrainedRow extends TokenRow {
  readonly id: string
  readonly actionMask: readonly boolean[]
  /** Of the action tokens, in order. */
  readonly places: readonly TokenPlace[]
}

/** Places of every action token, in order; needs no ids of observations. */
export function actionPlaces({ turns }: Trajectory): TokenPlace[] {
  return turns.flatMap((turn, k) =>
    turn.role === 'assistant' ? (turn.token_ids ?? []).map((_, index) => ({ turn: k, index })) : [],
  )
}

/**
 * Turns are concatenated as they were tokenised: no merge crosses a boundary.
 * @throws BadInput naming `file` and the rollout where ids are missing or there is nothing to train or to predict from
 */
export function trainedRow(trajectory: Trajectory, file: string): TrainedRow {
  const { id, turns } = trajectory
  const refuse = (problem: string): never => {
    throw new BadInput(file, problem, `row ${id}`)
  }
  const ids: number[] = []
  const actions: boolean[] = []
  for (const [k, turn] of turns.entries()) {
    if (turn.token_ids === undefined) refuse(`turns[${k}] has no token_ids; import it with --tokenizer DIR`)
    for (const token of turn.token_ids ?? []) {
      ids.push(token)
      actions.push(turn.role === 'assistant')
    }
  }
  const first = actions.indexOf(true)
  if (first === -1) refuse('has no assistant token')
  if (first === 0) refuse('begins with an assistant token; a token needs a prefix to be predicted from')
  const end = actions.lastIndexOf(true) + 1
  return {
    id,
    promptIds: ids.slice(0, first),
    completionIds: ids.slice(first, end),
    actionMask: actions.slice(first, end),
    places: actionPlaces(trajectory),
  }
}

/** One number an action token to one a completion token; observations get 0. Throws where the numbers are too few or many. */
export function overCompletion(row: TrainedRow, perAction: readonly number[]): number[] {
  if (perAction.length !== row.places.length)
    throw new Error(`${row.id}: ${perAction.length} numbers for ${row.places.length} action tokens`)
  let next = 0
  return row.actionMask.map((isAction) => (isAction ? perAction[next++]! : 0))
}

/** The reverse: the numbers of the action tokens out of one a completion token. */
export function ofActions<T>({ actionMask }: TrainedRow, perToken: readonly T[]): T[] {
  return perToken.filter((_, t) => actionMask[t])
}
