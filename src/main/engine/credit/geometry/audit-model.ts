/**
 * The same policy in the arithmetic of an audit: float64, float32 with its long sums widened, or bfloat16 emulated. Made once
 * per model, since sessions are kept; base weights are shared.
 */
import { BadInput } from '../../../../shared/bad-input.ts'
import type { AuditDtype } from '../../../../shared/credit-audit.ts'
import { Model } from '../../nn/model.ts'
import { float32Bytes, inlineLimitBytes } from '../../nn/weights.ts'

/** Up to this, every weight can stand in a session a second time, in float64. */
const widenedWeightBytes = 64 * 1024 * 1024

const forms = {
  float64: () => ({ float: 'float64' }) as const,
  // The order of a long float32 sum alone would cost more than an audit is to resolve.
  float32: (bytes: number) => ({ wideSums: bytes <= widenedWeightBytes ? 'products' : 'weights' }) as const,
  bfloat16: () => ({ rounding: 'bfloat16' }) as const,
} as const

const made = new WeakMap<Model, Map<AuditDtype, Model>>()

/** @throws BadInput naming the flag, where the device or the model's size does not allow this dtype */
export function modelIn(model: Model, dtype: AuditDtype): Model {
  const { weights, device } = model
  const bytes = float32Bytes(model.base)
  if (device.name !== 'cpu') {
    // Other devices have no float64 to sum in.
    if (dtype === 'float32') return model
    throw new BadInput('--dtype', `${dtype} is computed on the CPU only; use --device cpu, or float32`)
  }
  // Weights of float64 stand inside the compiled graph, which may not exceed 2 GB.
  if (dtype === 'float64' && bytes > inlineLimitBytes)
    throw new BadInput(
      '--dtype',
      `float64 takes models up to ${inlineLimitBytes / 1e6} MB in float32, and this has ${Math.ceil(bytes / 1e6)}; use float32`,
    )
  const known = made.get(model) ?? new Map<AuditDtype, Model>()
  made.set(model, known)
  const audited = known.get(dtype) ?? new Model(weights, { device, ...forms[dtype](bytes) })
  known.set(dtype, audited)
  return audited
}

const widened = {
  none: null,
  weights: 'float64 in the sums of the gradient over positions',
  products: 'float64 in the products of the backward pass',
} as const

/** What a reading says of its arithmetic beyond the name of its dtype. */
export function arithmeticOf({ float, rounding, wideSums }: Model): { emulation?: string; accumulation?: string } {
  if (rounding !== null) return { emulation }
  const accumulation = float === 'float32' ? widened[wideSums] : null
  return accumulation === null ? {} : { accumulation }
}

const emulation =
  'emulated on float32: base weights, learned state, coefficients, the result of every operation, every gradient and every tangent are rounded to bfloat16 (to nearest, ties to even); tables of the rotary embedding, sums inside one operation, inner products and the sum over parts are not'
