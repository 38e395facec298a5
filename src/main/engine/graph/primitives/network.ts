/** The composite primitives of a decoder: softmax, RMSNorm, rotary embedding, token log-probabilities. */
import type { Emitter, Value } from '../emitter.ts'
import type { Primitive } from '../primitive.ts'
import { ShapeError, sameShape, show } from '../shape.ts'

const sumLast = (e: Emitter, x: Value) => e.reduceSum(x, [-1], true)

/** Softmax over the last axis. The Jacobian is symmetric, so both modes are the same product. */
export const softmax: Primitive<Record<string, never>> = {
  name: 'softmax',
  forward: (e, [x]) => ({ output: e.one('Softmax', [x!], x!.shape, { axis: { int: -1 } }), saved: undefined }),
  vjp: (e, { output }, cotangent) => [jacobian(e, output, cotangent)],
  jvp: (e, { output }, [tangent]) => jacobian(e, output, tangent!),
}
function jacobian(e: Emitter, y: Value, direction: Value): Value {
  const weighted = e.mul(direction, y)
  return e.sub(weighted, e.mul(y, sumLast(e, weighted)))
}

/**
 * RMSNorm: x / sqrt(mean(x²) + eps) · w, x [..., H], w [H].
 * With x̂ the normalised x and g the incoming direction times w: dx = (g − x̂·mean(g·x̂)) / rms; dw = Σ cotangent·x̂.
 */
export const rmsNorm: Primitive<{ eps: number }, { inverse: Value; normalised?: Value }> = {
  name: 'rmsNorm',
  forward: (e, [x, w], { eps }) => {
    if (!sameShape(w!.shape, x!.shape.slice(-1)))
      throw new ShapeError(`norm weight ${show(w!.shape)} does not fit ${show(x!.shape)}`)
    const statistics = [...x!.shape.slice(0, -1), 1]
    if (e.fused) {
      const [output, inverse] = e.node(
        'SimplifiedLayerNormalization',
        [x!, w!],
        [
          { dtype: x!.dtype, shape: x!.shape },
          { dtype: x!.dtype, shape: statistics },
        ],
        { axis: { int: -1 }, epsilon: { float: eps } },
      )
      return { output: output!, saved: { inverse: inverse! } }
    }
    const inverse = e.unary('Reciprocal', e.unary('Sqrt', e.add(e.meanLast(e.mul(x!, x!)), e.scalar(eps))))
    const normalised = e.mul(x!, inverse)
    return { output: e.mul(normalised, w!), saved: { inverse, normalised } }
  },
  vjp: (e, { inputs: [x, w], saved }, cotangent, need) => {
    saved.normalised ??= e.mul(x!, saved.inverse)
    return [
      need[0] ? project(e, saved.inverse, saved.normalised, e.mul(cotangent, w!)) : null,
      need[1] ? e.unbroadcast(e.mul(cotangent, saved.normalised), w!.shape) : null,
    ]
  },
  jvp: (e, { inputs: [x, w], saved }, [dx, dw]) => {
    saved.normalised ??= e.mul(x!, saved.inverse)
    return e.sum(
      dx ? e.mul(project(e, saved.inverse, saved.normalised, dx), w!) : null,
      dw ? e.mul(saved.normalised, dw) : null,
    )
  },
}
/** (g − x̂·mean(g·x̂))/rms: the derivative of the normalisation, symmetric in its two uses. */
function project(e: Emitter, inverse: Value, normalised: Value, direction: Value): Value {
  return e.mul(inverse, e.sub(direction, e.mul(normalised, e.meanLast(e.mul(direction, normalised)))))
}

/**
 * Rotary embedding on halves (`rotate_half`): inputs x [B, heads, T, D], positions int64 [B, T], and the tables cos,
 * sin, −sin [maxT, D/2]. A rotation: its transpose is the rotation by the opposite angle, so vjp swaps the sine tables.
 */
export const rotary: Primitive<Record<string, never>> = {
  name: 'rotary',
  forward: (e, [x, positions, cos, sin]) => {
    const half = x!.shape[3]! / 2
    if (x!.shape.length !== 4 || cos!.shape[1] !== half || !sameShape(positions!.shape, [x!.shape[0]!, x!.shape[2]!]))
      throw new ShapeError(
        `rotary tables ${show(cos!.shape)} or positions ${show(positions!.shape)} do not fit ${show(x!.shape)}`,
      )
    return { output: rotate(e, x!, positions!, cos!, sin!), saved: undefined }
  },
  vjp: (e, { inputs: [, positions, cos, , negativeSin] }, cotangent) => [
    rotate(e, cotangent, positions!, cos!, negativeSin!),
    null,
    null,
    null,
    null,
  ],
  jvp: (e, { inputs: [, positions, cos, sin] }, [tangent]) =>
    tangent ? rotate(e, tangent, positions!, cos!, sin!) : null,
}
function rotate(e: Emitter, x: Value, positions: Value, cos: Value, sin: Value): Value {
  if (e.fused) return e.one('RotaryEmbedding', [x, positions, cos, sin], x.shape, {}, 'com.microsoft')
  const [batch, , time, width] = x.shape as [number, number, number, number]
  const half = width / 2
  const at = (table: Value) => e.reshape(e.gather(table, positions), [batch, 1, time, half])
  const [c, s] = [at(cos), at(sin)]
  const [first, second] = [e.slice(x, 3, 0, half), e.slice(x, 3, half, half)]
  return e.concat([e.sub(e.mul(first, c), e.mul(second, s)), e.add(e.mul(second, c), e.mul(first, s))], 3)
}

/**
 * log softmax(h·Wᵀ)[target] per row: h [N, H], W [V, H], targets int64 [N] → [N].
 * The gradient never forms onehot − p for the hidden side: dh = d·(W[target] − p·W).
 */
export const tokenLogProb: Primitive<Record<string, never>, { logSoftmax: Value; probability?: Value }> = {
  name: 'tokenLogProb',
  forward: (e, [h, w, targets]) => {
    const [rows, vocabulary] = [h!.shape[0]!, w!.shape[0]!]
    if (targets!.dtype !== 'int64' || !sameShape(targets!.shape, [rows]))
      throw new ShapeError(`targets ${targets!.dtype} ${show(targets!.shape)} do not fit ${rows} rows`)
    const logits = e.gemm(h!, w!, { transB: true })
    const logSoftmax = e.one('LogSoftmax', [logits], [rows, vocabulary], { axis: { int: -1 } })
    const column = e.reshape(targets!, [rows, 1])
    const picked = e.one('GatherElements', [logSoftmax, column], [rows, 1], { axis: { int: 1 } })
    return { output: e.reshape(picked, [rows]), saved: { logSoftmax } }
  },
  vjp: (e, { inputs: [h, w, targets], saved }, cotangent, need) => {
    const rows = h!.shape[0]!
    const column = e.reshape(cotangent, [rows, 1])
    saved.probability ??= e.unary('Exp', saved.logSoftmax)
    const weighted = need[1] ? e.mul(column, saved.probability) : null
    return [
      need[0] ? e.mul(column, e.sub(e.gather(w!, targets!), e.gemm(saved.probability, w!))) : null,
      weighted ? e.gemm(e.sub(scatterOneHot(e, targets!, column, w!.shape[0]!), weighted), h!, { transA: true }) : null,
      null,
    ]
  },
  jvp: (e, { inputs: [h, w, targets], saved }, [dh, dw]) => {
    // d logit[target] − Σ p · d logit, without the [N, V] tangent of the logits where only h moves.
    saved.probability ??= e.unary('Exp', saved.logSoftmax)
    const fromHidden = dh ? sumLast(e, e.mul(dh, e.sub(e.gather(w!, targets!), e.gemm(saved.probability, w!)))) : null
    const fromWeight = dw ? sumLast(e, e.mul(h!, e.sub(e.gather(dw, targets!), e.gemm(saved.probability, dw)))) : null
    const total = e.sum(fromHidden, fromWeight)
    return total === null ? null : e.reshape(total, [h!.shape[0]!])
  },
}
/** [N, V] with `column` [N, 1] at each row's target and 0 elsewhere. */
function scatterOneHot(e: Emitter, targets: Value, column: Value, vocabulary: number): Value {
  const rows = targets.shape[0]!
  const every = e.reshape(e.ints(Array.from({ length: vocabulary }, (_, i) => i)), [1, vocabulary])
  return e.where(e.compare('Equal', e.reshape(targets, [rows, 1]), every), column, e.scalar(0))
}
