/** Primitives that move or add up elements without arithmetic on them. All are linear: jvp is the forward rule. */
import type { Primitive } from '../primitive.ts'
import { type Shape, ShapeError, show } from '../shape.ts'

export const reshape: Primitive<{ shape: Shape }> = {
  name: 'reshape',
  forward: (e, [x], { shape }) => ({ output: e.reshape(x!, shape), saved: undefined }),
  vjp: (e, { inputs: [x] }, cotangent) => [e.reshape(cotangent, x!.shape)],
  jvp: (e, { params }, [tangent]) => e.reshape(tangent!, params.shape),
}

export const transpose: Primitive<{ perm: readonly number[] }> = {
  name: 'transpose',
  forward: (e, [x], { perm }) => {
    if (perm.length !== x!.shape.length || new Set(perm).size !== perm.length)
      throw new ShapeError(`permutation [${perm}] does not fit ${show(x!.shape)}`)
    return { output: e.transpose(x!, perm), saved: undefined }
  },
  vjp: (e, { params: { perm } }, cotangent) => [
    e.transpose(
      cotangent,
      perm.map((_, axis) => perm.indexOf(axis)),
    ),
  ],
  jvp: (e, { params: { perm } }, [tangent]) => e.transpose(tangent!, perm),
}

/** Sum over `axes`, which disappear from the shape. */
export const sum: Primitive<{ axes: readonly number[] }> = {
  name: 'sum',
  forward: (e, [x], { axes }) => ({ output: e.reduceSum(x!, axes, false), saved: undefined }),
  vjp: (e, { inputs: [x], params: { axes } }, cotangent) => {
    const rank = x!.shape.length
    const reduced = axes.map((axis) => (axis < 0 ? axis + rank : axis))
    const kept = x!.shape.map((dim, axis) => (reduced.includes(axis) ? 1 : dim))
    return [e.expand(e.reshape(cotangent, kept), x!.shape)]
  },
  jvp: (e, { params: { axes } }, [tangent]) => e.reduceSum(tangent!, axes, false),
}

/** `size` elements of one axis from `start`. */
export const slice: Primitive<{ axis: number; start: number; size: number }> = {
  name: 'slice',
  forward: (e, [x], { axis, start, size }) => {
    const extent = x!.shape[axis]
    if (extent === undefined || start < 0 || size < 1 || start + size > extent)
      throw new ShapeError(`slice ${start}..${start + size} of axis ${axis} does not fit ${show(x!.shape)}`)
    return { output: e.slice(x!, axis, start, size), saved: undefined }
  },
  vjp: (e, { inputs: [x], params: { axis, start, size } }, cotangent) => {
    const zeros = (count: number) =>
      e.expand(
        e.scalar(0),
        x!.shape.map((dim, i) => (i === axis ? count : dim)),
      )
    const after = x!.shape[axis]! - start - size
    return [e.concat([...(start > 0 ? [zeros(start)] : []), cotangent, ...(after > 0 ? [zeros(after)] : [])], axis)]
  },
  jvp: (e, { params: { axis, start, size } }, [tangent]) => e.slice(tangent!, axis, start, size),
}

/** Values joined along one axis. */
export const concat: Primitive<{ axis: number }> = {
  name: 'concat',
  forward: (e, inputs, { axis }) => ({ output: e.concat(inputs, axis), saved: undefined }),
  vjp: (e, { inputs, params: { axis } }, cotangent, need) => {
    let start = 0
    return inputs.map((input, i) => {
      const size = input.shape[axis]!
      start += size
      return need[i] ? e.slice(cotangent, axis, start - size, size) : null
    })
  },
  jvp: (e, { inputs, params: { axis } }, tangents) =>
    e.concat(
      inputs.map((input, i) => tangents[i] ?? e.expand(e.scalar(0), input.shape)),
      axis,
    ),
}

/**
 * Rows of a table: table [V, H], ids int64 of any shape → [...ids, H]. The table's gradient is a product with the
 * one-hot matrix: a scatter-add would leave the order of its sums, and so the last bits, to the scheduler.
 */
export const embed: Primitive<Record<string, never>> = {
  name: 'embed',
  forward: (e, [table, ids]) => {
    if (table!.shape.length !== 2 || ids!.dtype !== 'int64')
      throw new ShapeError(`embed takes a matrix and int64 ids, not ${show(table!.shape)} and ${ids!.dtype}`)
    return { output: e.gather(table!, ids!), saved: undefined }
  },
  vjp: (e, { inputs: [table, ids] }, cotangent, need) => {
    if (!need[0]) return [null, null]
    const [rows, width] = [table!.shape[0]!, table!.shape[1]!]
    const flat = ids!.shape.reduce((product, dim) => product * dim, 1)
    const column = e.reshape(ids!, [flat, 1])
    const every = e.ints(Array.from({ length: rows }, (_, i) => i))
    const oneHot = e.cast(e.compare('Equal', column, e.reshape(every, [1, rows])), cotangent.dtype)
    return [e.gemm(oneHot, e.reshape(cotangent, [flat, width]), { transA: true }), null]
  },
  jvp: (e, { inputs: [, ids] }, [tangent]) => (tangent ? e.gather(tangent, ids!) : null),
}
