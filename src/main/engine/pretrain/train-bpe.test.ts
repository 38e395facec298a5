/** The tokenizer's training: which pair wins, what a tie does, and that every text survives the round trip. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { openTokenizer } from '../checkpoint/tokenizer.ts'
import { qwen2TokenizerFiles } from './qwen2-tokenizer.ts'
import { trainBpe } from './train-bpe.ts'

describe('training', () => {
  test('merges the most frequent pair first', () => {
    expect(trainBpe(['abab ab', 'abab'], 258).merges).toEqual([
      ['a', 'b'],
      ['ab', 'ab'],
    ])
  })

  test('a tie goes to the lower ids', () => {
    expect(trainBpe(['zy zy', 'ab ab'], 257).merges).toEqual([['a', 'b']])
    expect(trainBpe(['ab ab', 'zy zy'], 257).merges).toEqual([['a', 'b']])
  })

  test('no merge crosses a word, a digit or the end of a line', () => {
    const { tokens } = trainBpe(Array(20).fill('Case 120: done.\nCase 120: done.'), 263)
    expect(tokens.slice(256).every((token) => /^Ġ?\p{L}+$|^[^\p{L}\p{N}]+$/u.test(token))).toBe(true)
  })

  test('texts without a repeated pair cannot fill the vocabulary', () => {
    expect(() => trainBpe(['abc'], 300)).toThrow('the texts give 256 tokens, not 300')
  })
})

describe('the files', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'bpe-'))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))
  const { files, size, turnEndId, endOfTextId } = qwen2TokenizerFiles(
    trainBpe(Array(5).fill('The printer is on, the printer waits. Thank you, the café is open.'), 280),
    512,
  )
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(dir, name), content)
  const tokenizer = openTokenizer(dir)

  test('place the special tokens behind the vocabulary', () => {
    expect([tokenizer.size, size, tokenizer.padId, tokenizer.eosId]).toEqual([283, 283, endOfTextId, turnEndId])
    expect(tokenizer.encode('<|endoftext|><|im_start|><|im_end|>')).toEqual([280, 281, 282])
  })

  test('bring any text back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const composed = text.normalize('NFC')
        expect(tokenizer.decode(tokenizer.encode(composed))).toBe(composed)
      }),
    )
  })
})
