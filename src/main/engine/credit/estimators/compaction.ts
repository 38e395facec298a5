/** Local advantages of the segments that context compaction cut a rollout into, discounted by what comes after. */
import { chainAdvantage } from './gae.ts'
import { eachRollout, type Method, type Rollout } from './method.ts'
import { actionRewards, hasStepRewards, runsOf, splitByTurn } from './placement.ts'
import { actionNumbers, actionTurns, ending, refuse, turnField } from './recorded.ts'

/**
 * Factor of each segment, `d^(optimised tokens in later segments)`.
 * @param optimisedTokens tokens of each segment that are trained; a summary counts where the policy sampled it
 */
export function segmentFactors(optimisedTokens: readonly number[], discount: number): number[] {
  return optimisedTokens.map((_, k) => discount ** optimisedTokens.slice(k + 1).reduce((sum, n) => sum + n, 0))
}

/** `A_{k,t} = d^{N_{>k}} · A^local_{k,t}` */
export function discountSegments(local: readonly (readonly number[])[], discount: number): number[][] {
  const factors = segmentFactors(
    local.map((segment) => segment.length),
    discount,
  )
  return local.map((segment, k) => segment.map((advantage) => factors[k]! * advantage))
}

interface Segment {
  readonly rewards: number[]
  readonly values: number[]
}

function segmentsOf(rollout: Rollout): Segment[] {
  const { trajectory, outcome } = rollout
  const numbers = turnField(rollout, 'segment', 'compaction')
  const back = numbers.findIndex((number, k) => k > 0 && number < numbers[k - 1]!)
  if (back !== -1) {
    const { at } = actionTurns(trajectory)[back]!
    refuse(rollout, `turns[${at}] goes back to segment ${numbers[back]} after segment ${numbers[back - 1]}`)
  }
  const repeated = !hasStepRewards(trajectory)
  const perTurn = (list: readonly number[]) => splitByTurn(trajectory, list)
  const values = perTurn(actionNumbers(rollout, 'values', 'compaction'))
  const rewards = perTurn(actionRewards(rollout))
  return runsOf(numbers).map((turns) => {
    const own = turns.flatMap((k) => rewards[k]!)
    if (repeated) own[own.length - 1] = outcome
    return { rewards: own, values: turns.flatMap((k) => values[k]!) }
  })
}

export const compaction: Method = {
  name: 'compaction',
  formula:
    'A_{k,t} = d^(N_{>k}) · A^local_{k,t};  A^local: GAE over the action tokens of segment k alone;  d = γλ unless given',
  step: 'one action token; observations take no step',
  reads: 'step',
  needs: ['values (assistant)', 'segment (assistant)', 'bootstrap_value (where not terminated)'],
  settings: ['gamma', 'lambda', 'discount'],
  conventions: {
    outcome:
      'where no step rewards are recorded, at the end of every segment: each is estimated as if it were the last',
    segment_end: 'terminal for its own estimate; only the last segment of a cut rollout bootstraps',
    whitening: 'none',
  },
  source: 'CompactionRL',
  cannotClaim:
    'a GAE across the boundaries: the token distance to the end is restored, residuals of later segments are not passed back',
  parameters: ({ gamma, lambda, discount }) => ({ gamma, lambda, discount: discount ?? gamma * lambda }),
  estimate: eachRollout((rollout, { gamma, lambda, discount }) => {
    const segments = segmentsOf(rollout)
    const end = ending(rollout, 'compaction')
    const local = segments.map(({ rewards, values }, k) => {
      const own = k === segments.length - 1 ? end : { terminal: true, value: 0 }
      return chainAdvantage(rewards, values, own, gamma, lambda)
    })
    const discounted = discountSegments(
      local.map(({ advantages }) => advantages),
      discount ?? gamma * lambda,
    )
    return { advantages: discounted.flat(), returns: local.flatMap(({ returns }) => returns) }
  }),
}
