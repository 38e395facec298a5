/** What of a row reaches the model, token by token, and which rows are refused. */
import { describe, expect, it } from 'vitest'
import { BadInput } from '../../shared/bad-input.ts'
import { defaultLimits, type Encoder, encodeDemonstrations, encodePairs, encodePrompts } from './encode.ts'

const eosId = 3
/** One id a character, so that every boundary shows. */
const encoder: Encoder = {
  file: 'rows.jsonl',
  tokenizer: {
    encode: (text) => [...text].map((character) => (character === '$' ? eosId : character.charCodeAt(0))),
    renderChat: (messages, { addGenerationPrompt }) =>
      `${messages.map(({ role, content }) => `[${role[0]}:${content}]`).join('')}${addGenerationPrompt ? '>' : ''}`,
  },
  eosId,
  vocabSize: 128,
  limits: defaultLimits,
}
const ids = (text: string) => encoder.tokenizer.encode(text)
const placed = <T>(row: T) => [{ line: 7, row }]

describe('encoding', () => {
  it('puts a string prompt through the template as one user message and ends the completion with EOS', () => {
    const [row] = encodeDemonstrations(encoder, placed({ id: 'd', prompt: 'hi', completion: 'yo' }))
    expect(row).toEqual({ id: 'd', promptIds: ids('[u:hi]>'), completionIds: [...ids('yo'), eosId] })
  })

  it('takes messages likewise, and raw text without the template', () => {
    const messages = [
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
    ]
    expect(encodePrompts(encoder, placed({ id: 'd', prompt: messages }))[0]?.promptIds).toEqual(ids('[s:s][u:u]>'))
    const [raw] = encodeDemonstrations(encoder, placed({ id: 'd', prompt: 'hi', raw: true, completion: 'yo' }))
    expect(raw).toEqual({ id: 'd', promptIds: ids('hi'), completionIds: [...ids('yo'), eosId] })
  })

  it('uses given ids exactly, and does not double an EOS that the text spells out', () => {
    const given = { id: 'd', prompt_ids: [1], completion_ids: [9, 9] }
    expect(encodeDemonstrations(encoder, placed(given))[0]).toEqual({ id: 'd', promptIds: [1], completionIds: [9, 9] })
    const spelled = { id: 'd', prompt_ids: [1], completion: 'a$' }
    expect(encodeDemonstrations(encoder, placed(spelled))[0]?.completionIds).toEqual([97, eosId])
  })

  it('encodes both sides of a pair after one prompt', () => {
    const [pair] = encodePairs(encoder, placed({ id: 'p', prompt_ids: [1], chosen: 'a', rejected: 'b' }))
    expect(pair?.chosen).toEqual({ id: 'p', promptIds: [1], completionIds: [97, eosId] })
    expect(pair?.rejected.completionIds).toEqual([98, eosId])
  })

  const faultOf = (work: () => unknown): string => {
    try {
      work()
    } catch (error) {
      expect(error).toBeInstanceOf(BadInput)
      return (error as BadInput).message
    }
    throw new Error('nothing was refused')
  }

  it.each([
    [
      { id: 'd', prompt_ids: Array(257).fill(1), completion: 'a' },
      'the prompt has 257 tokens, more than the limit of 256',
    ],
    [{ id: 'd', prompt_ids: [1], completion: 'a'.repeat(64) }, 'completion has 65 tokens, more than the limit of 64'],
    [{ id: 'd', prompt_ids: [128], completion: 'a' }, 'prompt_ids[0]: 128 is outside the vocabulary of 128'],
    [{ id: 'd', prompt: '', raw: true, completion: 'a' }, 'the prompt is empty'],
  ])('refuses %o', (row, problem) => {
    expect(faultOf(() => encodeDemonstrations(encoder, placed(row)))).toBe(`rows.jsonl: ${problem} (row d, line 7)`)
  })

  it('holds prompt and completion together to the context limit', () => {
    const short: Encoder = { ...encoder, limits: { ...defaultLimits, contextTokens: 300 } }
    const row = { id: 'd', prompt_ids: Array(256).fill(1), completion: 'a'.repeat(63) }
    expect(encodeDemonstrations(encoder, placed(row))).toHaveLength(1)
    expect(faultOf(() => encodeDemonstrations(short, placed(row)))).toContain(
      'has 320 tokens, more than the limit of 300',
    )
  })

  it('refuses a pair whose sides are the same tokens', () => {
    const row = { id: 'p', prompt: 'x', chosen: 'a', rejected_ids: [97, eosId] }
    expect(faultOf(() => encodePairs(encoder, placed(row)))).toContain('chosen and rejected are the same tokens')
  })
})
