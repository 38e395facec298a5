/**
 * Does the optimizer execute the audited sum? For plain gradient descent on −J, (θ' − θ)/η is Σμ exactly, and this takes
 * that step for real and compares. No other update rule is a sum over tokens, so each of them is refused by name. The
 * comparison reads a small difference of large numbers; how small an error it can resolve stands beside it.
 */
import type { AuditDtype, StepConservation } from '../../../../shared/credit-audit.ts'
import { narrowBf16, widenBf16 } from '../../checkpoint/float-widening.ts'
import type { Numbers } from '../../nn/model.ts'
import { sgdStep } from '../../optim/sgd.ts'
import { norm } from './vectors.ts'

/** Distance from 1 to the next larger number. */
const epsilonOf: Readonly<Record<AuditDtype, number>> = { float64: 2 ** -52, float32: 2 ** -23, bfloat16: 2 ** -7 }

/** A floor above this leaves nothing of the comparison. */
const LIMITED_ABOVE = 1e-3

export const exactOptimizer = 'sgd'

/** What in an update rule breaks the identity, by what its name says. */
const reasons: readonly { readonly named: RegExp; readonly why: string }[] = [
  {
    named: /momentum|nesterov|heavy.?ball/,
    why: 'momentum adds a decaying sum of earlier gradients, so the step holds credit of batches that this audit has not seen',
  },
  {
    named: /adam|amsgrad|lamb/,
    why: "Adam averages gradients over steps and divides each parameter's by the root of its second moment, so the step is not linear in the gradient and parts of it do not add",
  },
  {
    named: /adamw|decay/,
    why: 'weight decay moves every parameter by its own value, which belongs to no token',
  },
  {
    named: /clip/,
    why: 'gradient clipping scales the step by the norm of the whole gradient, which is no sum over parts',
  },
  {
    named: /rmsprop|adagrad|adadelta|adafactor|shampoo|muon|sophia|lion|sign/,
    why: 'it rescales the gradient by statistics or signs of its own, so the step is not linear in the gradient',
  },
]

const remedy = 'shares and conservation of the gradient hold all the same, and --optimizer-step sgd shows the identity'

/**
 * Why the identity cannot be asserted for this optimizer; null for plain gradient descent. A name may hold several rules
 * (`sgd+momentum+clipping`); each gives its reason.
 */
export function refusalOf(optimizer: string): string | null {
  const name = optimizer.trim().toLowerCase()
  if (name === exactOptimizer) return null
  const whys = reasons.filter(({ named }) => named.test(name)).map(({ why }) => why)
  const all = whys.length > 0 ? whys : ['it is not plain gradient descent, the only rule whose step is this sum']
  return `${optimizer}: ${all.join('; ')}; ${remedy}`
}

export interface StepInputs {
  readonly optimizer: string
  readonly learningRate: number
  readonly dtype: AuditDtype
  /** θ; read only. */
  readonly parameters: Float32Array
  /** ∇J, in the dtype's float type: what the optimizer is given (negated: it descends). */
  readonly gradient: Numbers
  /** Σ_S g_S; where no parts were summed, ∇J itself. */
  readonly summed: Numbers
}

/** Takes the step on a copy of the parameters. */
export function stepConservation(inputs: StepInputs): StepConservation {
  const { optimizer, learningRate, dtype, parameters, gradient, summed } = inputs
  const refused = refusalOf(optimizer)
  if (refused !== null) return { optimizer, refused }
  const before = inDtype(parameters, dtype)
  const stepped = before.slice()
  // The loss is −J: its gradient is −∇J, and descending on it adds η∇J.
  sgdStep(stepped, gradient, -learningRate)
  const after = dtype === 'bfloat16' ? widenBf16(narrowBf16(stepped as Float32Array)) : stepped
  const summedNorm = norm(summed)
  let squares = 0
  for (let i = 0; i < before.length; i++) squares += ((after[i]! - before[i]!) / learningRate - summed[i]!) ** 2
  const floor = (epsilonOf[dtype] * norm(before)) / (learningRate * summedNorm)
  return {
    optimizer,
    relative_error: Math.sqrt(squares) / summedNorm,
    update_precision_floor: floor,
    update_precision_limited: floor > LIMITED_ABOVE,
  }
}

/** θ as a run in this dtype would hold it; itself where that is what it is. */
function inDtype(parameters: Float32Array, dtype: AuditDtype): Numbers {
  if (dtype === 'float64') return Float64Array.from(parameters)
  return dtype === 'float32' ? parameters : widenBf16(narrowBf16(parameters))
}
