/**
 * Text in any script on paper. What the font cannot show, and what a left-to-right line would show wrongly or not at all
 * (right-to-left scripts, controls), is written out by code point, ⟨U+05E9 05DC⟩: visible, and nothing lost.
 */

/** Hebrew to Arabic Extended, their presentation forms, the right-to-left planes. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
/** Controls, invisible formatting and direction marks, unpaired halves, private use, unassigned. */
const unshowable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/u

/**
 * @param has whether the font has a glyph for a code point
 * @param missing receives every code point written out
 * @returns text of shown characters only; line breaks are controls too, so callers split at them first
 */
export function showCharacters(text: string, has: (codePoint: number) => boolean, missing: Set<number>): string {
  let result = ''
  let open: string[] = []
  const close = () => {
    if (open.length > 0) result += `⟨U+${open.join(' ')}⟩`
    open = []
  }
  for (const character of text) {
    const codePoint = character.codePointAt(0)!
    if (codePoint >= 0x20 && codePoint < 0x7f) {
      close()
      result += character
      continue
    }
    if (has(codePoint) && !rightToLeft.test(character) && !unshowable.test(character)) {
      close()
      result += character
      continue
    }
    missing.add(codePoint)
    open.push(codePointName(codePoint))
  }
  close()
  return result
}

export function codePointName(codePoint: number): string {
  return codePoint.toString(16).toUpperCase().padStart(4, '0')
}
