/**
 * Trains a byte-level BPE: the most frequent pair of neighbouring tokens becomes a token, again and again. Words are
 * the pieces of the Qwen2 split; no merge crosses them. Equal counts are decided by the lower ids, so that equal text
 * always gives an equal vocabulary.
 */
import { byteSymbols } from '../checkpoint/byte-decoder.ts'

/** Qwen2's split for tokenizer.json, in the dialect of the Rust tokenizers. */
export const qwen2Split =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

/** The same split for JavaScript, where a group of its own case rule is not understood everywhere. */
const splitPattern = new RegExp(
  qwen2Split.replace("(?i:'s|'t|'re|'ve|'m|'ll|'d)", "'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])"),
  'gu',
)

export interface Bpe {
  /** Token by id: the 256 byte symbols in code-point order, then one token a merge. */
  readonly tokens: readonly string[]
  readonly merges: readonly (readonly [string, string])[]
}

interface Word {
  ids: number[]
  readonly count: number
}

/**
 * Grows a vocabulary to `size` tokens from `texts`. Throws RangeError where the texts hold no pair that occurs twice
 * before the size is reached, or the size is below the 256 bytes.
 */
export function trainBpe(texts: Iterable<string>, size: number): Bpe {
  const tokens = byteSymbols().sort((a, b) => a.codePointAt(0)! - b.codePointAt(0)!)
  if (size < tokens.length) throw new RangeError(`a byte-level vocabulary has at least 256 tokens, not ${size}`)
  const words = countWords(texts, tokens)
  const merges: [string, string][] = []
  while (tokens.length < size) {
    const pair = mostFrequentPair(words)
    if (pair === null) throw new RangeError(`the texts give ${tokens.length} tokens, not ${size}: add more varied text`)
    const [left, right] = pair
    merges.push([tokens[left]!, tokens[right]!])
    tokens.push(tokens[left]! + tokens[right]!)
    for (const word of words) word.ids = merged(word.ids, left, right, tokens.length - 1)
  }
  return { tokens, merges }
}

function countWords(texts: Iterable<string>, tokens: readonly string[]): Word[] {
  const counts = new Map<string, number>()
  for (const text of texts) {
    for (const [word] of text.normalize('NFC').matchAll(splitPattern)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const symbols = byteSymbols()
  const idOf = new Map(tokens.map((token, id) => [token, id]))
  return [...counts].map(([word, count]) => ({
    ids: Array.from(new TextEncoder().encode(word), (byte) => idOf.get(symbols[byte]!)!),
    count,
  }))
}

/** Ids never reach this, so left · pairBase + right names a pair. */
const pairBase = 1 << 24

function mostFrequentPair(words: readonly Word[]): readonly [number, number] | null {
  const counts = new Map<number, number>()
  for (const { ids, count } of words) {
    for (let i = 1; i < ids.length; i++) {
      const pair = ids[i - 1]! * pairBase + ids[i]!
      counts.set(pair, (counts.get(pair) ?? 0) + count)
    }
  }
  let [best, highest] = [-1, 1]
  for (const [pair, count] of counts) {
    if (count > highest || (count === highest && best !== -1 && pair < best)) [best, highest] = [pair, count]
  }
  return best === -1 ? null : [Math.floor(best / pairBase), best % pairBase]
}

function merged(ids: number[], left: number, right: number, token: number): number[] {
  if (!ids.includes(left)) return ids
  const result: number[] = []
  for (let i = 0; i < ids.length; i++) {
    if (ids[i] === left && ids[i + 1] === right) {
      result.push(token)
      i++
    } else result.push(ids[i]!)
  }
  return result
}
