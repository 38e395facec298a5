import { describe, expect, it } from 'vitest'
import { BadInput } from '../../shared/bad-input.ts'
import type { Trajectory } from '../../shared/trajectory.ts'
import { openTokenizer } from '../engine/checkpoint/tokenizer.ts'
import { type ConversationTokenizer, conversationFrame, withTokenIds } from './encode-conversation.ts'

const tokenizer = openTokenizer(new URL('../../../resources/models/embedded', import.meta.url).pathname)
const encoder = { file: 'rows.jsonl', tokenizer, eosId: tokenizer.eosId! }
const placed = (turns: Trajectory['turns']) => ({
  line: 3,
  row: { id: 'r', group: 'g', reward: 1, terminated: true, truncated: false, turns } as Trajectory,
})
const turns = [
  { role: 'system', text: 'You are a helpful assistant.' },
  { role: 'user', text: 'The screen stays dark.' },
  { role: 'assistant', text: 'Check the cable.' },
  { role: 'tool', text: 'The cable is connected.' },
  { role: 'assistant', text: 'You could save the open document and see what changes.' },
] as const

describe('a conversation in ids', () => {
  it('reads as the chat template renders it whole', () => {
    const encoded = withTokenIds(encoder, placed(turns))
    const text = encoded.turns.map((turn) => tokenizer.decode(turn.token_ids!))
    const messages = turns.map(({ role, text }) => ({ role, content: text }))
    expect(`${text.join('')}\n`).toBe(tokenizer.renderChat(messages, { addGenerationPrompt: false }))
    expect(text.slice(2)).toEqual([
      'Check the cable.<|im_end|>',
      '\n<|im_start|>tool\nThe cable is connected.<|im_end|>\n<|im_start|>assistant\n',
      'You could save the open document and see what changes.<|im_end|>',
    ])
  })

  it('opens an action after the last observation too', () => {
    const encoded = withTokenIds(encoder, placed(turns.slice(0, 4)))
    expect(tokenizer.decode(encoded.turns[3]!.token_ids!)).toMatch(/<\|im_start\|>assistant\n$/)
  })

  it('frames requests and observations as whole rows have them', () => {
    const frame = conversationFrame(encoder)
    const encoded = withTokenIds(encoder, placed(turns.slice(1)))
    expect(frame.request(turns[1].text)).toEqual(encoded.turns[0]!.token_ids)
    expect(frame.observation(turns[3].text)).toEqual(encoded.turns[2]!.token_ids)
    expect(frame.observation(turns[3].text)).toBe(frame.observation(turns[3].text))
  })

  it('leaves given ids alone and refuses a mixture', () => {
    const given = placed(turns.map((turn) => ({ ...turn, token_ids: [5, 6] })))
    expect(withTokenIds(encoder, given)).toBe(given.row)
    const mixed = placed(turns.map((turn, k) => (k === 0 ? { ...turn, token_ids: [5] } : turn)))
    expect(() => withTokenIds(encoder, mixed)).toThrow(
      'rows.jsonl: turns[1] has no token_ids and other turns have; give them to all turns or to none (row r, line 3)',
    )
  })

  it('refuses a template that rewrites earlier turns', () => {
    const forgetful: ConversationTokenizer = {
      encode: tokenizer.encode,
      decode: tokenizer.decode,
      renderChat: (messages, options) => tokenizer.renderChat(messages.slice(-1), options),
    }
    expect(() => withTokenIds({ ...encoder, tokenizer: forgetful }, placed(turns))).toThrow(BadInput)
  })
})
