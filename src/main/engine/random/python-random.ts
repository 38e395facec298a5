/**
 * CPython's `random.Random` for integer seeds: the same bits, doubles and shuffles. The corpus split and every
 * bootstrap are drawn with it, so that anybody can repeat them with the Python standard library.
 */
import { MT19937 } from './mt19937.ts'
import { uniform01 } from './uniform01.ts'

export class PythonRandom {
  private readonly generator: MT19937

  /** @param seed any integer; a sign is ignored as in CPython, and 64-bit seeds keep all their bits as bigint */
  constructor(seed: number | bigint) {
    this.generator = MT19937.fromArray(seedWords(seed))
  }

  /** 624 words and the position. */
  state(): Uint32Array {
    return this.generator.state()
  }

  setState(state: ArrayLike<number>): void {
    this.generator.setState(state)
  }

  /** Uniform on [0, 1), 53 bits. */
  random(): number {
    return uniform01(this.generator)
  }

  /** A non-negative integer of `k` random bits, 0 <= k. Words are consumed least significant first. */
  getrandbits(k: number): bigint {
    if (!Number.isInteger(k) || k < 0) throw new RangeError(`number of bits must be a non-negative integer, not ${k}`)
    let value = 0n
    for (let shift = 0; shift < k; shift += 32) {
      value |= BigInt(this.bits(Math.min(32, k - shift))) << BigInt(shift)
    }
    return value
  }

  /** Uniform integer in [start, stop), or [0, start) with one argument; safe integers. Throws on an empty range. */
  randrange(start: number, stop?: number): number {
    const low = stop === undefined ? 0 : start
    const width = (stop === undefined ? start : stop) - low
    if (!Number.isSafeInteger(low) || !Number.isSafeInteger(width)) {
      throw new RangeError('randrange takes safe integers')
    }
    if (width <= 0) throw new RangeError(`empty range for randrange (${low}, ${low + width})`)
    return low + this.below(width)
  }

  /** Shuffles in place (Fisher-Yates from the end) and returns its argument. */
  shuffle<T>(items: T[]): T[] {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i + 1)
      const kept = items[i]!
      items[i] = items[j]!
      items[j] = kept
    }
    return items
  }

  /** `_randbelow_with_getrandbits`: draws of bit_length(n) bits until one is below n. */
  private below(n: number): number {
    if (n >= 0x100000000) {
      const k = BigInt(n).toString(2).length
      let wide = this.getrandbits(k)
      while (wide >= BigInt(n)) wide = this.getrandbits(k)
      return Number(wide)
    }
    const k = 32 - Math.clz32(n)
    let r = this.bits(k)
    while (r >= n) r = this.bits(k)
    return r
  }

  /** 1 <= k <= 32 bits: the top bits of one word. */
  private bits(k: number): number {
    return this.generator.nextUint32() >>> (32 - k)
  }
}

/** |seed| in 32-bit words, least significant first; zero is one zero word. */
function seedWords(seed: number | bigint): number[] {
  if (typeof seed === 'number' && !Number.isSafeInteger(seed)) {
    throw new RangeError(`a seed must be an integer that is exact in a double, or a bigint; not ${seed}`)
  }
  let rest = BigInt(seed)
  if (rest < 0n) rest = -rest
  const words: number[] = []
  do {
    words.push(Number(rest & 0xffffffffn))
    rest >>= 32n
  } while (rest > 0n)
  return words
}
