/**
 * Where rewards stand: a turn's token rewards at their tokens, the turn's own reward at its last token, the outcome at
 * the last action token only where no step reward is recorded. What falls on a position that is no step belongs to the
 * action before it, since that action caused it; before the first action, to the first.
 */
import type { Trajectory, Turn } from '../../../../shared/trajectory.ts'
import type { Rollout } from './method.ts'
import { actionTurns } from './recorded.ts'

/** Recorded zeros are rewards too: only what is absent counts as not recorded. */
export function hasStepRewards({ turns }: Trajectory): boolean {
  return turns.some((turn) => turn.rewards !== undefined || turn.reward !== undefined)
}

interface Position {
  readonly turn: Turn
  readonly index: number
  readonly action: boolean
  readonly reward: number
}

/** Every token in order; what a turn without tokens earned stands at the token before it. */
function positionsOf({ turns }: Trajectory): { positions: Position[]; beforeAll: number } {
  const positions: Position[] = []
  let beforeAll = 0
  for (const turn of turns) {
    const action = turn.role === 'assistant'
    const tokens = turn.token_ids?.length ?? 0
    for (let index = 0; index < tokens; index++) {
      positions.push({ turn, index, action, reward: turn.rewards?.[index] ?? 0 })
    }
    if (turn.reward === undefined) continue
    const last = positions.pop()
    if (last === undefined) beforeAll += turn.reward
    else positions.push({ ...last, reward: last.reward + turn.reward })
  }
  return { positions, beforeAll }
}

/**
 * Rewards of the positions that are steps: what the others earned is moved to the step before them, before the first
 * step to the first. Sums are kept unless there is no step.
 */
export function ontoSteps(rewards: readonly number[], isStep: readonly boolean[]): number[] {
  const kept: number[] = []
  let waiting = 0
  rewards.forEach((reward, t) => {
    if (isStep[t]) {
      kept.push(reward + waiting)
      waiting = 0
    } else if (kept.length === 0) waiting += reward
    else kept[kept.length - 1]! += reward
  })
  return kept
}

function stepsOf(trajectory: Trajectory, isStep: (position: Position) => boolean): Position[] {
  const { positions, beforeAll } = positionsOf(trajectory)
  const steps = positions.map(isStep)
  const rewards = ontoSteps([beforeAll, ...positions.map(({ reward }) => reward)], [false, ...steps])
  return positions.filter((_, t) => steps[t]).map((position, i) => ({ ...position, reward: rewards[i]! }))
}

/** Rewards of the action tokens, in order. */
export function actionRewards({ trajectory, outcome }: Rollout): number[] {
  const rewards = stepsOf(trajectory, ({ action }) => action).map(({ reward }) => reward)
  if (!hasStepRewards(trajectory) && rewards.length > 0) rewards[rewards.length - 1]! += outcome
  return rewards
}

/** Rewards of the action turns: each turn's and those of the observations after it. */
export function turnRewards(rollout: Rollout): number[] {
  return splitByTurn(rollout.trajectory, actionRewards(rollout)).map((own) => own.reduce((sum, r) => sum + r, 0))
}

/** A list over the action tokens, cut at the action turns. */
export function splitByTurn<T>(trajectory: Trajectory, perToken: readonly T[]): T[][] {
  let from = 0
  return actionTurns(trajectory).map(({ tokens }) => {
    from += tokens
    return perToken.slice(from - tokens, from)
  })
}

/** Consecutive action turns with the same number, as lists of their positions among the action turns. */
export function runsOf(numbers: readonly number[]): number[][] {
  const runs: number[][] = []
  numbers.forEach((number, k) => {
    if (k > 0 && number === numbers[k - 1]) runs.at(-1)!.push(k)
    else runs.push([k])
  })
  return runs
}

/** A number a turn, given to each of its tokens. */
export function overTokens<T>(trajectory: Trajectory, perTurn: readonly T[]): T[] {
  return actionTurns(trajectory).flatMap(({ tokens }, k) => Array<T>(tokens).fill(perTurn[k]!))
}

export interface ChainStep {
  readonly action: boolean
  readonly reward: number
  /** Absent on an action token whose turn records none. */
  readonly value: number | undefined
}

/**
 * The chain of token-level TD and GAE: action tokens, and from the first action on those observation tokens whose value
 * is recorded.
 */
export function valuedChain({ trajectory, outcome }: Rollout): ChainStep[] {
  let begun = false
  const steps = stepsOf(trajectory, ({ action, turn }) => {
    begun ||= action
    return action || (begun && turn.values !== undefined)
  }).map(({ action, reward, turn, index }) => ({ action, reward, value: turn.values?.[index] }))
  const last = steps.findLastIndex(({ action }) => action)
  if (last !== -1 && !hasStepRewards(trajectory)) {
    steps[last] = { ...steps[last]!, reward: steps[last]!.reward + outcome }
  }
  return steps
}
