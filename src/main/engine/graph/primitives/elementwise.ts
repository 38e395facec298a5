/** Element-wise primitives. Each derivative is the textbook one, written with kernels that exist in float64 too. */
import type { Emitter, Value } from '../emitter.ts'
import type { Primitive } from '../primitive.ts'
import { broadcastShape, ShapeError, sameShape, show } from '../shape.ts'

type None = Record<string, never>

/** y = f(x) with dy/dx a function of x and y; the derivative is emitted once and shared by both modes. */
function unary<P = None>(
  name: string,
  forward: (e: Emitter, x: Value, params: P) => Value,
  derivative: (e: Emitter, x: Value, y: Value, params: P) => Value,
): Primitive<P, { slope?: Value }> {
  return {
    name,
    forward: (e, [x], params) => ({ output: forward(e, x!, params), saved: {} }),
    vjp: (e, { inputs: [x], output, params, saved }, cotangent) => {
      saved.slope ??= derivative(e, x!, output, params)
      return [e.mul(cotangent, saved.slope)]
    },
    jvp: (e, { inputs: [x], output, params, saved }, [tangent]) => {
      saved.slope ??= derivative(e, x!, output, params)
      return e.mul(tangent!, saved.slope)
    },
  }
}

/** Tangent of a broadcasting sum, expanded to the output's shape where only one side moves. */
const expandTo = (e: Emitter, x: Value | null, shape: readonly number[]) => (x === null ? null : e.expand(x, shape))

export const add: Primitive<None> = {
  name: 'add',
  forward: (e, [a, b]) => ({ output: e.add(a!, b!), saved: undefined }),
  vjp: (e, { inputs }, cotangent, need) => inputs.map((x, i) => (need[i] ? e.unbroadcast(cotangent, x.shape) : null)),
  jvp: (e, { output }, [a, b]) => expandTo(e, e.sum(a!, b!), output.shape),
}

export const sub: Primitive<None> = {
  name: 'sub',
  forward: (e, [a, b]) => ({ output: e.sub(a!, b!), saved: undefined }),
  vjp: (e, { inputs: [a, b] }, cotangent, need) => [
    need[0] ? e.unbroadcast(cotangent, a!.shape) : null,
    need[1] ? e.unbroadcast(e.neg(cotangent), b!.shape) : null,
  ],
  jvp: (e, { output }, [a, b]) => expandTo(e, e.sum(a!, b ? e.neg(b) : null), output.shape),
}

export const mul: Primitive<None> = {
  name: 'mul',
  forward: (e, [a, b]) => ({ output: e.mul(a!, b!), saved: undefined }),
  vjp: (e, { inputs: [a, b] }, cotangent, need) => [
    need[0] ? e.unbroadcast(e.mul(cotangent, b!), a!.shape) : null,
    need[1] ? e.unbroadcast(e.mul(cotangent, a!), b!.shape) : null,
  ],
  jvp: (e, { inputs: [a, b] }, [da, db]) => e.sum(da ? e.mul(da, b!) : null, db ? e.mul(a!, db) : null),
}

export const exp = unary(
  'exp',
  (e, x) => e.unary('Exp', x),
  (_, __, y) => y,
)

export const log = unary(
  'log',
  (e, x) => e.unary('Log', x),
  (e, x) => e.unary('Reciprocal', x),
)

export const square = unary(
  'square',
  (e, x) => e.mul(x, x),
  (e, x) => e.scale(x, 2),
)

export const scale = unary<{ factor: number }>(
  'scale',
  (e, x, { factor }) => e.mul(x, e.scalar(factor)),
  (e, _, __, { factor }) => e.scalar(factor),
)

/** log σ(x) = min(x, 0) − log(1 + exp(−|x|)): no overflow at any margin, and no Softplus kernel needed in float64. */
export const logSigmoid = unary(
  'logSigmoid',
  (e, x) => {
    const decay = e.unary('Exp', e.neg(e.unary('Abs', x)))
    return e.sub(e.one('Min', [x, e.scalar(0)], x.shape), e.unary('Log', e.add(decay, e.scalar(1))))
  },
  (e, x) => e.unary('Sigmoid', e.neg(x)),
)

/** x·σ(x). QuickGelu with alpha 1 is the same function in one kernel. */
export const silu = unary(
  'silu',
  (e, x) =>
    e.fused
      ? e.one('QuickGelu', [x], x.shape, { alpha: { float: 1 } }, 'com.microsoft')
      : e.mul(x, e.unary('Sigmoid', x)),
  (e, x, y) => {
    const gate = e.unary('Sigmoid', x)
    return e.add(gate, e.mul(y, e.sub(e.scalar(1), gate)))
  },
)

/** Clamp to [low, high]. The derivative is 1 inside and at both ends, as in PyTorch's clamp. */
export const clip: Primitive<{ low: number; high: number }> = {
  name: 'clip',
  forward: (e, [x], { low, high }) => ({
    output: e.one('Clip', [x!, e.scalar(low), e.scalar(high)], x!.shape),
    saved: undefined,
  }),
  vjp: (e, { inputs: [x], output }, cotangent) => [e.where(e.compare('Equal', x!, output), cotangent, e.scalar(0))],
  jvp: (e, { inputs: [x], output }, [tangent]) => e.where(e.compare('Equal', x!, output), tangent!, e.scalar(0)),
}

/** Element-wise minimum. On a tie the first argument carries the derivative. */
export const minimum: Primitive<None> = {
  name: 'minimum',
  forward: (e, [a, b]) => ({ output: e.one('Min', [a!, b!], broadcastShape(a!.shape, b!.shape)), saved: undefined }),
  vjp: (e, { inputs: [a, b] }, cotangent, need) => {
    const first = e.compare('LessOrEqual', a!, b!)
    return [
      need[0] ? e.unbroadcast(e.where(first, cotangent, e.scalar(0)), a!.shape) : null,
      need[1] ? e.unbroadcast(e.where(first, e.scalar(0), cotangent), b!.shape) : null,
    ]
  },
  jvp: (e, { inputs: [a, b], output }, [da, db]) =>
    expandTo(e, e.where(e.compare('LessOrEqual', a!, b!), da ?? e.scalar(0), db ?? e.scalar(0)), output.shape),
}

/**
 * select(mask, x): x where the mask is true, else 0. What lies behind the mask, NaN included, never reaches the result
 * or the gradient; multiplying by 0 would let it through.
 */
export const select: Primitive<None> = {
  name: 'select',
  forward: (e, [mask, x]) => {
    if (mask!.dtype !== 'bool' || !sameShape(mask!.shape, x!.shape))
      throw new ShapeError(`mask ${mask!.dtype} ${show(mask!.shape)} does not select from ${show(x!.shape)}`)
    return { output: e.where(mask!, x!, e.scalar(0)), saved: undefined }
  },
  vjp: (e, { inputs: [mask] }, cotangent, need) => [null, need[1] ? e.where(mask!, cotangent, e.scalar(0)) : null],
  jvp: (e, { inputs: [mask] }, [, tangent]) => (tangent ? e.where(mask!, tangent, e.scalar(0)) : null),
}
