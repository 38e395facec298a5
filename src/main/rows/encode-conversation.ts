/**
 * Conversations to token ids, turn by turn, so that the concatenated ids are exactly what the model reads. The checkpoint's
 * own chat template renders the roles; an assistant's turn is its text and the EOS, and everything between two of them,
 * markers included, belongs to the turns that are no actions.
 */
import { BadInput } from '../../shared/bad-input.ts'
import type { ChatMessage } from '../../shared/rows.ts'
import type { Trajectory, Turn } from '../../shared/trajectory.ts'
import type { RowTokenizer } from './encode.ts'
import { type PlacedRow, rowPlace } from './read-rows.ts'

export interface ConversationTokenizer extends RowTokenizer {
  decode(ids: readonly number[]): string
}

export interface ConversationEncoder {
  /** Named in messages. */
  readonly file: string
  readonly tokenizer: ConversationTokenizer
  /** Ends every assistant turn given as text. */
  readonly eosId: number
}

/**
 * The trajectory with `token_ids` in every turn. A row whose turns all have ids is returned as it is; ids and text are not
 * mixed within a row, since only a text can be rendered.
 * @throws BadInput for a mixed row, or a chat template that does not go on from its own rendering
 */
export function withTokenIds(encoder: ConversationEncoder, { row, line }: PlacedRow<Trajectory>): Trajectory {
  const missing = row.turns.findIndex((turn) => turn.token_ids === undefined)
  if (missing === -1) return row
  const refuse = (problem: string): never => {
    throw new BadInput(encoder.file, problem, rowPlace(row.id, line))
  }
  if (row.turns.some((turn) => turn.token_ids !== undefined))
    refuse(`turns[${missing}] has no token_ids and other turns have; give them to all turns or to none`)
  const ids = encodeTurns(encoder, row.turns, refuse)
  return { ...row, turns: row.turns.map((turn, k) => ({ ...turn, token_ids: ids[k]! })) }
}

function encodeTurns(
  { tokenizer, eosId }: Omit<ConversationEncoder, 'file'>,
  turns: readonly Turn[],
  refuse: (problem: string) => never,
): number[][] {
  const eos = tokenizer.decode([eosId])
  const messages: ChatMessage[] = []
  let rendered = ''
  return turns.map((turn, k) => {
    const content = turn.text ?? refuse(`turns[${k}] has neither text nor token_ids`)
    messages.push({ role: turn.role, content })
    if (turn.role === 'assistant') {
      rendered += content + eos
      return [...tokenizer.encode(content), eosId]
    }
    // The turn before an action opens it; so does the last one, where an action would come next.
    const opens = k + 1 === turns.length || turns[k + 1]!.role === 'assistant'
    const whole = tokenizer.renderChat(messages, { addGenerationPrompt: opens })
    if (!whole.startsWith(rendered))
      refuse(`the checkpoint's chat template renders turns[${k}] differently once it has a successor; give token_ids`)
    const own = whole.slice(rendered.length)
    rendered = whole
    return [...tokenizer.encode(own)]
  })
}

/** Ids of a request that opens a conversation, and of an observation after an action, each as `withTokenIds` gives them. */
export function conversationFrame(encoder: ConversationEncoder): {
  request(text: string): readonly number[]
  observation(text: string): readonly number[]
} {
  const refuse = (problem: string): never => {
    throw new BadInput(encoder.file, problem)
  }
  const known = new Map<string, readonly number[]>()
  return {
    request: (text) => encodeTurns(encoder, [{ role: 'user', text }], refuse)[0]!,
    observation: (text) => {
      // What the action said changes nothing in how its successor is rendered; some word has to stand there.
      const turns = [
        { role: 'user', text: 'Help' },
        { role: 'assistant', text: 'Yes' },
        { role: 'tool', text },
      ] as const
      const ids = known.get(text) ?? encodeTurns(encoder, turns, refuse)[2]!
      known.set(text, ids)
      return ids
    },
  }
}
