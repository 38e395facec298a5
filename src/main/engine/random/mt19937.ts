/**
 * The Mersenne Twister MT19937, the generator under both CPython's `random` and PyTorch's CPU generator. The two
 * differ only in how a seed becomes a state and in how words become numbers; those stand in `python-random.ts` and
 * `torch-random.ts`.
 */

const N = 624
const M = 397

/** Words of a state: 624 of the twister, then the position of the next one. */
export const mt19937StateWords = N + 1

export class MT19937 {
  private readonly words = new Uint32Array(N)
  private position = N

  private constructor() {}

  /** Knuth's initialisation from one 32-bit word (`init_genrand`), as PyTorch seeds. */
  static fromSeed(seed: number): MT19937 {
    const generator = new MT19937()
    generator.initialise(seed >>> 0)
    return generator
  }

  /** Initialisation from a key of 32-bit words (`init_by_array`), as CPython seeds. Throws on an empty key. */
  static fromArray(key: readonly number[]): MT19937 {
    if (key.length === 0) throw new RangeError('a key of at least one word is needed')
    const generator = new MT19937()
    generator.initialise(19650218)
    const s = generator.words
    let i = 1
    let j = 0
    for (let k = Math.max(N, key.length); k > 0; k--) {
      const previous = s[i - 1]!
      s[i] = (s[i]! ^ Math.imul(previous ^ (previous >>> 30), 1664525)) + key[j]! + j
      i++
      j++
      if (i >= N) {
        s[0] = s[N - 1]!
        i = 1
      }
      if (j >= key.length) j = 0
    }
    for (let k = N - 1; k > 0; k--) {
      const previous = s[i - 1]!
      s[i] = (s[i]! ^ Math.imul(previous ^ (previous >>> 30), 1566083941)) - i
      i++
      if (i >= N) {
        s[0] = s[N - 1]!
        i = 1
      }
    }
    s[0] = 0x80000000
    return generator
  }

  /** A generator at the given state (see `state`). */
  static fromState(state: ArrayLike<number>): MT19937 {
    const generator = new MT19937()
    generator.setState(state)
    return generator
  }

  /** The next word, uniform on [0, 2^32). */
  nextUint32(): number {
    if (this.position >= N) this.twist()
    let y = this.words[this.position++]!
    y ^= y >>> 11
    y ^= (y << 7) & 0x9d2c5680
    y ^= (y << 15) & 0xefc60000
    y ^= y >>> 18
    return y >>> 0
  }

  /** A copy of the state: 624 words, then the position (0..624). */
  state(): Uint32Array {
    const state = new Uint32Array(mt19937StateWords)
    state.set(this.words)
    state[N] = this.position
    return state
  }

  /** Throws RangeError when the argument is not a state: wrong length, position out of range, or all words zero. */
  setState(state: ArrayLike<number>): void {
    if (state.length !== mt19937StateWords) {
      throw new RangeError(`a generator state has ${mt19937StateWords} words, not ${state.length}`)
    }
    const position = state[N]!
    if (!Number.isInteger(position) || position < 0 || position > N) {
      throw new RangeError(`position ${position} of a generator state is outside 0..${N}`)
    }
    const words = Uint32Array.from({ length: N }, (_, i) => state[i]!)
    // The all-zero state is a fixed point: it would yield zeros for ever.
    if (words.every((word) => word === 0)) throw new RangeError('a generator state may not be all zeros')
    this.words.set(words)
    this.position = position
  }

  private initialise(seed: number): void {
    const s = this.words
    s[0] = seed
    for (let i = 1; i < N; i++) {
      const previous = s[i - 1]!
      s[i] = Math.imul(1812433253, previous ^ (previous >>> 30)) + i
    }
    this.position = N
  }

  private twist(): void {
    const s = this.words
    for (let i = 0; i < N; i++) {
      const y = (s[i]! & 0x80000000) | (s[(i + 1) % N]! & 0x7fffffff)
      s[i] = s[(i + M) % N]! ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0)
    }
    this.position = 0
  }
}
