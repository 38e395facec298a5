/** Which tokens are content and which only format: special tokens, white space, and ids the tokenizer does not know. */
import type { Tokenizer } from '../../checkpoint/tokenizer.ts'

export function isContent(tokenizer: Tokenizer, id: number): boolean {
  return !tokenizer.specialIds.has(id) && ![...tokenizer.decode([id])].every(isBlank)
}

/** White space as Python's `str.strip` has it: JavaScript's without U+FEFF, with the separators U+001C–U+001F and U+0085. */
function isBlank(character: string): boolean {
  const code = character.codePointAt(0)!
  return (/\s/u.test(character) && code !== 0xfeff) || (code >= 0x1c && code <= 0x1f) || code === 0x85
}
