/**
 * PyTorch's CPU generator (`torch.Generator().manual_seed(seed)`): the permutations of the data order and the float32
 * draws of the LoRA and head initialisation come out as they do there, so runs can be compared across the two.
 */
import { MT19937 } from './mt19937.ts'
import { uniform01 } from './uniform01.ts'

const round = Math.fround
/** Below this many elements `normal_` draws one value at a time, from it on in blocks. */
const blockSize = 16

/** What resuming needs: the twister and the second half of a Box-Muller pair, if one waits. */
export interface TorchRandomState {
  readonly words: Uint32Array
  readonly nextNormal: number | null
}

export class TorchRandom {
  private readonly generator: MT19937
  private nextNormal: number | null = null

  /** @param seed as `manual_seed` takes it: any 64-bit integer; the CPU engine keeps the low 32 bits */
  constructor(seed: number | bigint) {
    if (typeof seed === 'number' && !Number.isSafeInteger(seed)) {
      throw new RangeError(`a seed must be an integer that is exact in a double, or a bigint; not ${seed}`)
    }
    this.generator = MT19937.fromSeed(Number(BigInt.asUintN(32, BigInt(seed))))
  }

  state(): TorchRandomState {
    return { words: this.generator.state(), nextNormal: this.nextNormal }
  }

  setState(state: TorchRandomState): void {
    this.generator.setState(state.words)
    this.nextNormal = state.nextNormal
  }

  /** One 32-bit word of the stream. */
  nextUint32(): number {
    return this.generator.nextUint32()
  }

  /** Uniform on [0, 1), 53 bits: the draw that samples tokens. */
  uniform01(): number {
    return uniform01(this.generator)
  }

  /** `torch.randperm(n)`: a permutation of 0..n-1, for n below 2^32/20. */
  randperm(n: number): number[] {
    if (!Number.isInteger(n) || n < 0 || n >= 0xffffffff / 20) throw new RangeError(`randperm cannot order ${n} items`)
    const order = Array.from({ length: n }, (_, i) => i)
    for (let i = 0; i < n - 1; i++) {
      const j = i + (this.generator.nextUint32() % (n - i))
      const kept = order[i]!
      order[i] = order[j]!
      order[j] = kept
    }
    return order
  }

  /** `tensor.uniform_(low, high)` on float32: fills `out` from 24-bit draws and returns it. */
  uniform(out: Float32Array, low: number, high: number): Float32Array {
    const from = round(low)
    const width = round(round(high) - from)
    for (let i = 0; i < out.length; i++) out[i] = this.unitFloat() * width + from
    return out
  }

  /** `nn.init.kaiming_uniform_(a=sqrt(5))` on a float32 matrix with `fanIn` columns: U(-1/sqrt(fanIn), 1/sqrt(fanIn)). */
  kaimingUniform(out: Float32Array, fanIn: number): Float32Array {
    // The steps of the original, gain first, because the bound is rounded along the way.
    const gain = Math.sqrt(2 / (1 + Math.sqrt(5) ** 2))
    const bound = Math.sqrt(3) * (gain / Math.sqrt(fanIn))
    return this.uniform(out, -bound, bound)
  }

  /** `tensor.normal_(mean, std)` on float32: fills `out` and returns it. Agrees with PyTorch to a few float32 ulp. */
  normal(out: Float32Array, mean: number, std: number): Float32Array {
    if (!(std >= 0)) throw new RangeError(`normal expects std >= 0, not ${std}`)
    if (out.length < blockSize) {
      for (let i = 0; i < out.length; i++) out[i] = this.normalDouble() * std + mean
      return out
    }
    for (let i = 0; i < out.length; i++) out[i] = this.unitFloat()
    const whole = out.length - (out.length % blockSize)
    for (let start = 0; start < whole; start += blockSize) boxMullerBlock(out, start, round(mean), round(std))
    if (whole < out.length) {
      // The tail is redrawn together with the end of the last whole block.
      const start = out.length - blockSize
      for (let i = start; i < out.length; i++) out[i] = this.unitFloat()
      boxMullerBlock(out, start, round(mean), round(std))
    }
    return out
  }

  /** Float32 uniform on [0, 1): the low 24 bits of one word. */
  private unitFloat(): number {
    return (this.generator.nextUint32() & 0xffffff) / 0x1000000
  }

  /** Double uniform on [0, 1): the low 53 bits of two words, high word first. */
  private unitDouble(): number {
    const high = this.generator.nextUint32() & 0x1fffff
    return (high * 0x100000000 + this.generator.nextUint32()) / 0x20000000000000
  }

  /** Standard normal in double by Box-Muller; the sine half is kept for the next call. */
  private normalDouble(): number {
    if (this.nextNormal !== null) {
      const kept = this.nextNormal
      this.nextNormal = null
      return kept
    }
    const u1 = this.unitDouble()
    const u2 = this.unitDouble()
    const radius = Math.sqrt(-2 * Math.log1p(-u2))
    const angle = 2 * Math.PI * u1
    this.nextNormal = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }
}

/** Turns 16 uniforms into 16 normals in place: elements j and j+8 make a pair, with float32 arithmetic. */
function boxMullerBlock(data: Float32Array, start: number, mean: number, std: number): void {
  const twoPi = round(2 * round(Math.PI))
  for (let j = start; j < start + blockSize / 2; j++) {
    const u1 = round(1 - data[j]!)
    const angle = round(twoPi * data[j + blockSize / 2]!)
    const radius = round(Math.sqrt(round(-2 * round(Math.log(u1)))))
    data[j] = radius * round(Math.cos(angle)) * std + mean
    data[j + blockSize / 2] = radius * round(Math.sin(angle)) * std + mean
  }
}
