/**
 * Trajectories as rows to imitate: the whole conversation stands in one row, once, and a mask leaves what the policy did not
 * say out of the loss. Nothing is truncated.
 */
import { BadInput } from '../../shared/bad-input.ts'
import type { EncodedRow } from '../../shared/rows.ts'
import { trainedRow } from '../engine/credit/trained-row.ts'
import type { LengthLimits } from './encode.ts'
import { type ConversationEncoder, withTokenIds } from './encode-conversation.ts'
import { rowPlace } from './read-rows.ts'
import type { PlacedTrajectory } from './read-trajectories.ts'

export interface TrajectoryEncoder extends ConversationEncoder {
  /** Rows of the embedding table. */
  readonly vocabSize: number
  /** What stands before the first action, each action turn, and the whole row. */
  readonly limits: LengthLimits
}

/** @throws BadInput naming the row: no action in it, an id outside the vocabulary, longer than a limit */
export function encodeTrajectories(encoder: TrajectoryEncoder, rows: readonly PlacedTrajectory[]): EncodedRow[] {
  return rows.map((placed) => encodeTrajectory(encoder, placed))
}

function encodeTrajectory(encoder: TrajectoryEncoder, placed: PlacedTrajectory): EncodedRow {
  const { file, vocabSize, limits } = encoder
  const refuse = (problem: string): never => {
    throw new BadInput(file, problem, rowPlace(placed.row.id, placed.line))
  }
  const limited = (what: string, tokens: number, limit: number, setting: string) => {
    if (tokens > limit) refuse(`${what} has ${tokens} tokens, more than the limit of ${limit} (${setting})`)
  }
  const trajectory = withTokenIds(encoder, placed)
  for (const [k, turn] of trajectory.turns.entries()) {
    const ids = turn.token_ids ?? []
    const strange = ids.find((id) => id >= vocabSize)
    if (strange !== undefined) refuse(`turns[${k}].token_ids: ${strange} is outside the vocabulary of ${vocabSize}`)
    if (turn.role === 'assistant') limited(`turns[${k}]`, ids.length, limits.completionTokens, 'max_new_tokens')
  }
  const { id, promptIds, completionIds, actionMask } = trainedRow(trajectory, file)
  limited('what stands before the first action', promptIds.length, limits.promptTokens, 'max_prompt_tokens')
  limited('the conversation', promptIds.length + completionIds.length, limits.contextTokens, 'max_context_tokens')
  return { id, promptIds, completionIds, actionMask }
}
