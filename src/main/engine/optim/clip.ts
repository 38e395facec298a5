/** Clipping of a gradient to a global L2 norm over all tensors of a learned state. */
import type { TensorSpec } from '../checkpoint/learned-state.ts'
import { NonFinite } from './non-finite.ts'

export interface Clipped {
  /** Global L2 norm before clipping. */
  readonly norm: number
  /** What the gradient was multiplied by; 1 leaves its bytes as they were. */
  readonly factor: number
}

/**
 * Scales `gradient` in place by min(1, maxNorm / (norm + 1e-6)), the rule of `torch.nn.utils.clip_grad_norm_`; the
 * norm is summed in float64. Throws NonFinite with the tensor's name when any element is NaN or infinite; the
 * gradient is then untouched.
 */
export function clipGradient(gradient: Float32Array, specs: readonly TensorSpec[], maxNorm: number): Clipped {
  // A NaN bound would compare false and silently clip nothing.
  if (!(maxNorm > 0)) throw new RangeError(`gradients cannot be clipped to a norm of ${maxNorm}`)
  const norm = globalNorm(gradient, specs)
  const factor = Math.min(1, maxNorm / (norm + 1e-6))
  if (factor < 1) {
    const scale = Math.fround(factor)
    for (let i = 0; i < gradient.length; i++) gradient[i] = gradient[i]! * scale
  }
  return { norm, factor }
}

/** L2 norm over the whole buffer, in float64. Throws NonFinite with the tensor's name. */
export function globalNorm(gradient: Float32Array, specs: readonly TensorSpec[]): number {
  let sum = 0
  for (let i = 0; i < gradient.length; i++) {
    const value = gradient[i]!
    sum += value * value
  }
  // float32 squares cannot overflow a double's range, so a sum that is not finite has a culprit.
  if (!Number.isFinite(sum)) throw firstNonFinite(gradient, specs)
  return Math.sqrt(sum)
}

function firstNonFinite(gradient: Float32Array, specs: readonly TensorSpec[]): NonFinite {
  const at = gradient.findIndex((value) => !Number.isFinite(value))
  const spec = specs.find(({ offset, size }) => at >= offset && at < offset + size)
  return new NonFinite(`gradient of ${spec?.name ?? 'an unnamed tensor'}`, at - (spec?.offset ?? 0), gradient[at]!)
}
