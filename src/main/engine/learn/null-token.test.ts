import { expect, test } from 'vitest'
import { nullTokenId } from './null-token.ts'
import type { StageContext } from './stage-context.ts'

const context = (padId?: number) =>
  ({ base: { dir: 'model', config: { vocabSize: 10 } }, tokenizer: { padId } }) as unknown as StageContext

test('PAD, unless another token of the vocabulary is named', () => {
  expect(nullTokenId(context(3))).toBe(3)
  expect(nullTokenId(context(3), 0)).toBe(0)
  expect(nullTokenId(context(), 9)).toBe(9)
})

test.each([-1, 10, 0.5, Number.NaN])('%d is no row of the embedding table', (id) => {
  expect(() => nullTokenId(context(3), id)).toThrow(`--null-token: ${id} is outside the vocabulary of 10`)
})

test('a PAD that is not there, or outside the table, is the tokenizer’s fault', () => {
  expect(() => nullTokenId(context())).toThrow('tokenizer_config.json: names no pad_token')
  expect(() => nullTokenId(context(12))).toThrow('tokenizer_config.json: 12 is outside the vocabulary of 10')
})
