/** What each turn says, for rollouts whose tokens have no text of their own since no tokenizer is known. */
import type { TrajectoryView } from '../../../shared/credit.ts'

export interface TurnText {
  /** From zero, as everywhere. */
  readonly turn: number
  readonly role: string
  readonly text: string
}

/** Empty where some token has its text, or no turn has any. */
export function turnTexts({ trajectory, token_texts }: TrajectoryView): readonly TurnText[] {
  const named = trajectory.turns.some((turn, k) =>
    (turn.token_ids ?? []).some((id, index) => (token_texts[k]?.[index] ?? `#${id}`) !== `#${id}`),
  )
  if (named) return []
  return trajectory.turns.flatMap(({ role, text }, turn) =>
    text === undefined || text === '' ? [] : [{ turn, role, text }],
  )
}
