/** Matrix products. Weights stay as checkpoints store them, [out, in]: one copy serves forward and backward. */
import type { Emitter, Value } from '../emitter.ts'
import type { Primitive } from '../primitive.ts'

type Turn = { readonly transA?: boolean; readonly alpha: number }

/** A product whose inner sum runs in float64 where asked. */
function product(e: Emitter, a: Value, b: Value, turn: Turn, wide: boolean): Value {
  if (!wide) return e.gemm(a, b, turn)
  return e.cast(e.gemm(e.cast(a, 'float64'), e.cast(b, 'float64'), turn), a.dtype)
}

/** y = alpha · x · wᵀ with x [N, in] and w [out, in]. */
export const linear: Primitive<{ alpha: number }> = {
  name: 'linear',
  forward: (e, [x, w], { alpha }) => ({ output: e.gemm(x!, w!, { transB: true, alpha }), saved: undefined }),
  vjp: (e, { inputs: [x, w], params: { alpha } }, cotangent, need) => [
    need[0] ? product(e, cotangent, w!, { alpha }, e.wideSums === 'products') : null,
    // This one sums over every position of the batch.
    need[1] ? product(e, cotangent, x!, { transA: true, alpha }, e.wideSums !== 'none') : null,
  ],
  jvp: (e, { inputs: [x, w], params: { alpha } }, [dx, dw]) =>
    e.sum(dx ? e.gemm(dx, w!, { transB: true, alpha }) : null, dw ? e.gemm(x!, dw, { transB: true, alpha }) : null),
}

/** Batched alpha · a · op(b) over equal leading dimensions (rank 3 or more); `op` transposes where `transB` is set. */
export const matmul: Primitive<{ transB: boolean; alpha: number }> = {
  name: 'matmul',
  forward: (e, [a, b], { transB, alpha }) => ({ output: e.matmul(a!, b!, { transB, alpha }), saved: undefined }),
  vjp: (e, { inputs: [a, b], params: { transB, alpha } }, cotangent, need) => [
    need[0] ? e.matmul(cotangent, b!, { transB: !transB, alpha }) : null,
    !need[1]
      ? null
      : transB
        ? e.matmul(cotangent, a!, { transA: true, alpha })
        : e.matmul(a!, cotangent, { transA: true, alpha }),
  ],
  jvp: (e, { inputs: [a, b], params: { transB, alpha } }, [da, db]) =>
    e.sum(da ? e.matmul(da, b!, { transB, alpha }) : null, db ? e.matmul(a!, db, { transB, alpha }) : null),
}
