/** AdamW with decoupled weight decay on one flat float32 buffer, as `torch.optim.AdamW` computes it on the CPU. */

/** First and second moments and the number of steps taken; plain data, saved with a run's resume state. */
export interface AdamWState {
  readonly m: Float32Array
  readonly v: Float32Array
  step: number
}

export interface AdamWSettings {
  readonly learningRate: number
  readonly weightDecay: number
  readonly beta1?: number
  readonly beta2?: number
  readonly epsilon?: number
}

/** Moments of zero for `length` parameters. */
export function newAdamWState(length: number): AdamWState {
  return { m: new Float32Array(length), v: new Float32Array(length), step: 0 }
}

/**
 * One step in place, t counted from 1:
 *
 *     theta <- theta (1 - lr wd)
 *     m <- m + (1 - beta1)(g - m)        v <- beta2 v + (1 - beta2) g g
 *     theta <- theta - lr/(1 - beta1^t) m / (sqrt(v)/sqrt(1 - beta2^t) + eps)
 *
 * Every intermediate is rounded to float32 where PyTorch's kernels round (fused multiply-add where they fuse). With
 * a learning rate of 0 the parameters keep their bytes while the moments move. Throws RangeError when the buffers
 * differ in length.
 */
export function adamwStep(
  parameters: Float32Array,
  gradient: Float32Array,
  state: AdamWState,
  settings: AdamWSettings,
): void {
  const { m, v } = state
  const length = parameters.length
  if (gradient.length !== length || m.length !== length || v.length !== length) {
    throw new RangeError(
      `AdamW buffers differ: ${length} parameters, ${gradient.length} gradients, ${m.length} and ${v.length} moments`,
    )
  }
  const { learningRate, weightDecay, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 } = settings
  state.step += 1
  const correction1 = 1 - beta1 ** state.step
  const correction2 = 1 - beta2 ** state.step

  const round = Math.fround
  const keep = round(1 - learningRate * weightDecay)
  const blend1 = round(1 - beta1)
  const decay2 = round(beta2)
  const blend2 = round(1 - beta2)
  const rootCorrection2 = round(Math.sqrt(correction2))
  const eps = round(epsilon)
  const negativeStep = round(-(learningRate / correction1))
  const moves = learningRate !== 0

  for (let i = 0; i < length; i++) {
    const g = gradient[i]!
    const mean = round(m[i]! + blend1 * round(g - m[i]!))
    const square = round(round(v[i]! * decay2) + round(blend2 * g) * g)
    m[i] = mean
    v[i] = square
    if (moves) {
      const denominator = round(round(round(Math.sqrt(square)) / rootCorrection2) + eps)
      parameters[i] = round(parameters[i]! * keep) + round(round(negativeStep * mean) / denominator)
    }
  }
}
