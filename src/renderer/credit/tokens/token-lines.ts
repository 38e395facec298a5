/** Rollouts of any number of turns as lines of cells: actions with a number, observations and prompts without. */
import type { TrajectoryView } from '../../../shared/credit.ts'
import type { CreditAudit } from '../../../shared/credit-audit.ts'
import type { GridCell } from '../../tokens/TokenGrid.tsx'

/** A token's number by where it stands; NaN where there is none. */
export type TokenValue = (id: string, turn: number, index: number) => number

export interface LineCell extends GridCell {
  readonly turn: number
  readonly index: number
  readonly id: number
}

/** As parts of an audit and the command line name it: both counted from zero. */
export const placeWords = (turn: number, index: number): string => `turn ${turn}/token ${index}`

export interface LineOptions {
  /** Also what was asked and observed. */
  readonly context: boolean
}

export function cellsOf(
  { trajectory, token_texts }: TrajectoryView,
  value: TokenValue,
  { context }: LineOptions,
): LineCell[] {
  const firstAction = trajectory.turns.findIndex(({ role }) => role === 'assistant')
  return trajectory.turns.flatMap((turn, k) => {
    const kind = turn.role === 'assistant' ? 'action' : k < firstAction ? 'prompt' : 'observation'
    if (kind !== 'action' && !context) return []
    return (turn.token_ids ?? []).map(
      (id, index): LineCell => ({
        turn: k,
        index,
        id,
        text: token_texts[k]?.[index] ?? `#${id}`,
        kind,
        value: kind === 'action' ? value(trajectory.id, k, index) : Number.NaN,
        place: placeWords(k, index),
      }),
    )
  })
}

/** Exact shares by where the token stands, of an audit by token. */
export function sharesOf(audit: CreditAudit): TokenValue {
  const shares = new Map(audit.parts.map((part) => [part.name, part.projected_share]))
  return (id, turn, index) => shares.get(`${id}/turn ${turn}/token ${index}`) ?? Number.NaN
}

/** A list a rollout over its assistant tokens, as `credit datc` gives them. */
export function overActions(
  views: readonly TrajectoryView[],
  lists: ReadonlyMap<string, readonly number[]>,
): TokenValue {
  const values = new Map<string, number>()
  for (const { trajectory } of views) {
    const list = lists.get(trajectory.id)
    let at = 0
    trajectory.turns.forEach((turn, k) => {
      if (turn.role !== 'assistant') return
      turn.token_ids?.forEach((_, index) => {
        const value = list?.[at++]
        if (value !== undefined) values.set(`${trajectory.id} ${k} ${index}`, value)
      })
    })
  }
  return (id, turn, index) => values.get(`${id} ${turn} ${index}`) ?? Number.NaN
}

const recordedNumbers = ['logprobs', 'ref_logprobs', 'values', 'rewards', 'advantages', 'returns'] as const
export type RecordedNumber = (typeof recordedNumbers)[number]

export const recordedWords: Readonly<Record<RecordedNumber, string>> = {
  logprobs: 'log-prob',
  ref_logprobs: 'reference log-prob',
  values: 'value',
  rewards: 'reward',
  advantages: 'advantage of the run',
  returns: 'return of the run',
}

/** What the file or run recorded about its tokens. */
export function recordedValue(views: readonly TrajectoryView[], name: RecordedNumber): TokenValue {
  const byId = new Map(views.map(({ trajectory }) => [trajectory.id, trajectory.turns]))
  return (id, turn, index) => byId.get(id)?.[turn]?.[name]?.[index] ?? Number.NaN
}

/** Numbers that some action of these rollouts has. */
export function recordedIn(views: readonly TrajectoryView[]): RecordedNumber[] {
  return recordedNumbers.filter((name) =>
    views.some(({ trajectory }) =>
      trajectory.turns.some((turn) => turn.role === 'assistant' && turn[name] !== undefined),
    ),
  )
}
