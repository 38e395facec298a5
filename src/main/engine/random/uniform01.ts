/** Uniform doubles for sampling tokens: 53 random bits from two words, on a grid of 2^-53. */

/** Anything that yields uniform 32-bit words. */
export interface WordSource {
  nextUint32(): number
}

/** Uniform on [0, 1), 53 bits from two words, high word first (CPython's `random()`; `genrand_res53`). */
export function uniform01(source: WordSource): number {
  const high = source.nextUint32() >>> 5
  const low = source.nextUint32() >>> 6
  return (high * 0x4000000 + low) / 0x20000000000000
}
