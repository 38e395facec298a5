/** Plain gradient descent on one flat buffer: no momentum, no decay, no clipping. Its step is linear in the gradient. */

/**
 * θ ← θ − η·g in place, each element rounded once to the buffer's float type, as a fused multiply-add does. A negative
 * rate ascends. Throws RangeError when the buffers differ in length.
 */
export function sgdStep(
  parameters: Float32Array | Float64Array,
  gradient: Float32Array | Float64Array,
  learningRate: number,
): void {
  if (gradient.length !== parameters.length)
    throw new RangeError(`SGD buffers differ: ${parameters.length} parameters, ${gradient.length} gradients`)
  const rate = parameters instanceof Float32Array ? Math.fround(learningRate) : learningRate
  for (let i = 0; i < parameters.length; i++) parameters[i] = parameters[i]! - rate * gradient[i]!
}
