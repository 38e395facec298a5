/** Mean and deviation of advantages at each of the four time scales: token, turn, response, episode. */
import type { Spread, SpreadByScale } from '../../../../shared/credit-estimates.ts'
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { mean, standardDeviation } from '../../study/statistics.ts'
import { splitByTurn } from './placement.ts'
import { actionTurns } from './recorded.ts'

export interface Credited {
  readonly trajectory: Trajectory
  readonly advantages: readonly number[]
}

/**
 * A unit larger than a token counts with the mean over its action tokens. A turn is one assistant turn; a response is all
 * assistant turns that answer one user turn, tool calls included; an episode is the rollout.
 */
export function advantageSpread(rollouts: readonly Credited[]): SpreadByScale {
  const trained = rollouts.filter(({ advantages }) => advantages.length > 0)
  return {
    token: spreadOf(trained.flatMap(({ advantages }) => advantages)),
    turn: spreadOf(trained.flatMap((rollout) => turnsOf(rollout).map(mean))),
    response: spreadOf(trained.flatMap((rollout) => responsesOf(rollout).map(mean))),
    episode: spreadOf(trained.map(({ advantages }) => mean(advantages))),
  }
}

function turnsOf({ trajectory, advantages }: Credited): number[][] {
  return splitByTurn(trajectory, advantages)
}

function responsesOf(rollout: Credited): number[][] {
  const responses: number[][] = []
  const perTurn = turnsOf(rollout)
  const place = new Map(actionTurns(rollout.trajectory).map(({ at }, k) => [at, k]))
  let open: number[] | null = null
  rollout.trajectory.turns.forEach(({ role }, at) => {
    if (role === 'user') open = null
    const k = place.get(at)
    if (k === undefined) return
    if (open === null) {
      open = []
      responses.push(open)
    }
    // One by one: turns can be longer than an argument list.
    for (const advantage of perTurn[k]!) open.push(advantage)
  })
  return responses
}

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) return { mean: null, std: null, n: 0 }
  return { mean: mean(values), std: standardDeviation(values, 0), n: values.length }
}
