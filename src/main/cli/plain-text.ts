/** Text from data on a terminal: control characters and direction overrides are shown, never obeyed. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
const obeyed = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** Each such character as its code point, `\\u{1b}`. */
export function plainText(text: string): string {
  return text.replace(obeyed, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}
