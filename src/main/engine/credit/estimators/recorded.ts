/** Reads what a method needs from a rollout, and says which field is missing where. Computes nothing. */
import { BadInput } from '../../../../shared/bad-input.ts'
import type { TokenField, Trajectory, Turn } from '../../../../shared/trajectory.ts'
import type { ChainEnd } from './advantage-trace.ts'
import type { Rollout } from './method.ts'

/** An assistant turn with at least one token: what turn-level methods call a step. */
export interface ActionTurn {
  /** Zero-based, in `turns`. */
  readonly at: number
  readonly turn: Turn
  readonly tokens: number
}

export function refuse({ file, trajectory }: Rollout, problem: string): never {
  throw new BadInput(file, problem, `row ${trajectory.id}`)
}

export function actionTurns({ turns }: Trajectory): ActionTurn[] {
  return turns.flatMap((turn, at) => {
    const tokens = turn.token_ids?.length ?? 0
    return turn.role === 'assistant' && tokens > 0 ? [{ at, turn, tokens }] : []
  })
}

/** @throws BadInput where an assistant turn is text only: its tokens cannot be counted */
export function requireActionIds(rollout: Rollout, method: string): void {
  rollout.trajectory.turns.forEach((turn, at) => {
    if (turn.role === 'assistant' && turn.token_ids === undefined) {
      refuse(rollout, `${method} needs token_ids in turns[${at}]; import the file with --tokenizer DIR`)
    }
  })
}

/** The field's numbers of every action token, in order. */
export function actionNumbers(rollout: Rollout, field: TokenField, method: string): number[] {
  return actionTurns(rollout.trajectory).flatMap(({ turn, at }) => needed(rollout, turn[field], field, at, method))
}

/** The field's number at the first token of every action turn: of a value, the turn's value. */
export function turnOpenings(rollout: Rollout, field: TokenField, method: string): number[] {
  return actionTurns(rollout.trajectory).map(({ turn, at }) => needed(rollout, turn[field], field, at, method)[0]!)
}

export function turnField<Name extends 'state_key' | 'segment' | 'option'>(
  rollout: Rollout,
  field: Name,
  method: string,
): NonNullable<Turn[Name]>[] {
  return actionTurns(rollout.trajectory).map(({ turn, at }) => {
    const value = turn[field]
    return value === undefined ? missing(rollout, `${field} in turns[${at}]`, method) : value
  }) as NonNullable<Turn[Name]>[]
}

export function trajectoryNumber(rollout: Rollout, field: 'greedy_reward' | 'base_score', method: string): number {
  return rollout.trajectory[field] ?? missing(rollout, field, method)
}

/**
 * What follows the last step: nothing where the rollout terminated, else the value of the state where it was cut. A cut
 * rollout without that value is refused, since taking it for an end would teach that every long rollout is worthless.
 */
export function ending(rollout: Rollout, method: string): ChainEnd {
  const { terminated, bootstrap_value: bootstrap } = rollout.trajectory
  if (terminated) return { terminal: true, value: 0 }
  if (bootstrap === undefined) {
    refuse(rollout, `${method} needs bootstrap_value, since the rollout did not terminate`)
  }
  return { terminal: false, value: bootstrap }
}

function needed(
  rollout: Rollout,
  list: readonly number[] | undefined,
  field: string,
  at: number,
  method: string,
): readonly number[] {
  return list ?? missing(rollout, `${field} in turns[${at}]`, method)
}

function missing(rollout: Rollout, what: string, method: string): never {
  return refuse(rollout, `${method} needs ${what}`)
}
