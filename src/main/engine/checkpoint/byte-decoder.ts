/**
 * Token ids to text for byte-level BPE. Bytes of all tokens are joined before UTF-8 is decoded, so a character that is
 * spread over tokens comes out whole and a broken one as U+FFFD, exactly as the Rust tokenizers do.
 */

/** The 256 printable characters that stand for bytes in a byte-level vocabulary (GPT-2's table). */
export function byteSymbols(): string[] {
  const symbols: string[] = []
  let shifted = 0
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
    symbols.push(String.fromCharCode(printable ? byte : 256 + shifted++))
  }
  return symbols
}

/** A token's bytes: each character stands for a byte; a token with any other character is plain UTF-8. */
export function tokenBytes(token: string, byteOf: ReadonlyMap<string, number>): Uint8Array {
  const bytes = new Uint8Array(token.length)
  for (let i = 0; i < token.length; i++) {
    const byte = byteOf.get(token[i]!)
    if (byte === undefined) return new TextEncoder().encode(token)
    bytes[i] = byte
  }
  return bytes
}

/** Joins and decodes; a leading byte order mark stays. */
export function decodeBytes(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return decoder.decode(Buffer.concat(parts))
}
