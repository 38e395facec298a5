/**
 * Emits ONNX nodes with known shapes: the vocabulary in which primitives write their forward and derivative rules.
 * Nothing here is differentiable; the tape is `graph.ts`'s.
 */
import {
  type Attribute,
  type DType,
  elementType,
  type OnnxInitializer,
  type OnnxNode,
  type TensorBytes,
} from './onnx.ts'
import { broadcastShape, normalAxes, type Shape, ShapeError, sameShape, show, sizeOf } from './shape.ts'

export type FloatType = 'float32' | 'float64'

/**
 * `fused` uses onnxruntime's CPU contrib kernels, which exist in float32 only. `portable` uses standard primitives:
 * for float64, and for devices where a fused kernel is missing or its gradient was found wrong.
 */
export type Profile = 'fused' | 'portable'

/**
 * Which sums of the backward pass run in float64 in a float32 graph: none, those of weight gradients (over every position of
 * the batch), or those of input gradients too, for which each weight is held in float64 as well. For audits.
 */
export type WideSums = 'none' | 'weights' | 'products'

/** A tensor in the graph: a name, an element type and a static shape. */
export interface Value {
  readonly name: string
  readonly dtype: DType
  readonly shape: Shape
}

export class Emitter {
  readonly nodes: OnnxNode[] = []
  readonly initializers: OnnxInitializer[] = []
  readonly float: FloatType
  readonly profile: Profile
  readonly wideSums: WideSums
  private readonly constants = new Map<string, Value>()
  private readonly scopes: string[] = []
  private count = 0

  constructor(float: FloatType, profile: Profile, wideSums: WideSums = 'none') {
    if (float === 'float64' && profile === 'fused') throw new Error('the fused profile has no float64 kernels')
    this.float = float
    this.profile = profile
    this.wideSums = wideSums
  }

  get fused(): boolean {
    return this.profile === 'fused'
  }

  /** Names every node made inside `body`, so that a fault of onnxruntime points at the layer it came from. */
  scoped<T>(scope: string, body: () => T): T {
    this.scopes.push(scope)
    try {
      return body()
    } finally {
      this.scopes.pop()
    }
  }

  get scope(): string {
    return this.scopes.join('/')
  }

  private freshName(op: string): string {
    const scope = this.scope
    return `${scope === '' ? '' : `${scope}/`}${op}#${this.count++}`
  }

  node(
    op: string,
    inputs: readonly (Value | null)[],
    outputs: readonly { dtype: DType; shape: Shape }[],
    attributes: Readonly<Record<string, Attribute>> = {},
    domain = '',
  ): Value[] {
    const name = this.freshName(op)
    const values = outputs.map(({ dtype, shape }, i) => ({ name: i === 0 ? name : `${name}:${i}`, dtype, shape }))
    this.nodes.push({
      name,
      op,
      domain,
      inputs: inputs.map((input) => input?.name ?? ''),
      outputs: values.map((value) => value.name),
      attributes,
    })
    return values
  }

  /** A node with one output of the first input's element type. */
  one(
    op: string,
    inputs: readonly Value[],
    shape: Shape,
    attributes: Readonly<Record<string, Attribute>> = {},
    domain = '',
  ): Value {
    return this.node(op, inputs, [{ dtype: inputs[0]!.dtype, shape }], attributes, domain)[0]!
  }

  initializer(name: string, dtype: DType, shape: Shape, bytes: TensorBytes): Value {
    this.initializers.push({ name, dtype, shape, bytes })
    return { name, dtype, shape }
  }

  private constant(dtype: DType, shape: Shape, values: readonly number[]): Value {
    const key = `${dtype}${show(shape)}${values}`
    const known = this.constants.get(key)
    if (known !== undefined) return known
    const array =
      dtype === 'int64'
        ? BigInt64Array.from(values, BigInt)
        : dtype === 'float64'
          ? Float64Array.from(values)
          : Float32Array.from(values)
    const value = this.initializer(`const#${this.constants.size}`, dtype, shape, { raw: new Uint8Array(array.buffer) })
    this.constants.set(key, value)
    return value
  }

  /** A scalar of the graph's float type. */
  scalar(value: number): Value {
    return this.constant(this.float, [], [value])
  }

  ints(values: readonly number[]): Value {
    return this.constant('int64', [values.length], values)
  }

  // ---- arithmetic -------------------------------------------------------------------------------------------------

  private binary(op: string, a: Value, b: Value): Value {
    return this.one(op, [a, b], broadcastShape(a.shape, b.shape))
  }
  add(a: Value, b: Value): Value {
    return this.binary('Add', a, b)
  }
  sub(a: Value, b: Value): Value {
    return this.binary('Sub', a, b)
  }
  mul(a: Value, b: Value): Value {
    return this.binary('Mul', a, b)
  }
  div(a: Value, b: Value): Value {
    return this.binary('Div', a, b)
  }
  unary(op: string, x: Value): Value {
    return this.one(op, [x], x.shape)
  }
  neg(x: Value): Value {
    return this.unary('Neg', x)
  }
  scale(x: Value, factor: number): Value {
    return factor === 1 ? x : this.mul(x, this.scalar(factor))
  }
  compare(op: 'Equal' | 'LessOrEqual' | 'GreaterOrEqual', a: Value, b: Value): Value {
    return this.node(op, [a, b], [{ dtype: 'bool', shape: broadcastShape(a.shape, b.shape) }])[0]!
  }
  where(condition: Value, a: Value, b: Value): Value {
    const shape = broadcastShape(condition.shape, broadcastShape(a.shape, b.shape))
    return this.node('Where', [condition, a, b], [{ dtype: a.dtype, shape }])[0]!
  }
  cast(x: Value, dtype: DType): Value {
    if (x.dtype === dtype) return x
    return this.node('Cast', [x], [{ dtype, shape: x.shape }], { to: { int: elementType[dtype] } })[0]!
  }
  /** Sum of the values that are there; null when none is. */
  sum(...values: (Value | null)[]): Value | null {
    return values.reduce(
      (total, value) => (total === null ? value : value === null ? total : this.add(total, value)),
      null,
    )
  }

  // ---- shape ------------------------------------------------------------------------------------------------------

  reshape(x: Value, shape: Shape): Value {
    if (sizeOf(x.shape) !== sizeOf(shape)) throw new ShapeError(`cannot reshape ${show(x.shape)} to ${show(shape)}`)
    return sameShape(x.shape, shape) ? x : this.one('Reshape', [x, this.ints(shape)], shape)
  }
  transpose(x: Value, perm: readonly number[]): Value {
    return this.one(
      'Transpose',
      [x],
      perm.map((axis) => x.shape[axis]!),
      { perm: { ints: perm } },
    )
  }
  expand(x: Value, shape: Shape): Value {
    return sameShape(x.shape, shape) ? x : this.one('Expand', [x, this.ints(shape)], shape)
  }
  reduceSum(x: Value, axes: readonly number[], keepDims: boolean): Value {
    const reduced = normalAxes(axes, x.shape.length)
    const shape = keepDims
      ? x.shape.map((dim, axis) => (reduced.includes(axis) ? 1 : dim))
      : x.shape.filter((_, axis) => !reduced.includes(axis))
    return this.one('ReduceSum', [x, this.ints(reduced)], shape, { keepdims: { int: keepDims ? 1 : 0 } })
  }
  /** Mean over the last axis, kept as size 1. */
  meanLast(x: Value): Value {
    const shape = [...x.shape.slice(0, -1), 1]
    return this.one('ReduceMean', [x], shape, { axes: { ints: [-1] }, keepdims: { int: 1 } })
  }
  /** Sums a cotangent back over the axes along which `shape` was broadcast. */
  unbroadcast(cotangent: Value, shape: Shape): Value {
    if (sameShape(cotangent.shape, shape)) return cotangent
    const lead = cotangent.shape.length - shape.length
    const axes = cotangent.shape.flatMap((dim, axis) =>
      axis < lead || (shape[axis - lead] === 1 && dim !== 1) ? [axis] : [],
    )
    return this.reshape(axes.length === 0 ? cotangent : this.reduceSum(cotangent, axes, true), shape)
  }
  slice(x: Value, axis: number, start: number, size: number): Value {
    const shape = x.shape.map((dim, i) => (i === axis ? size : dim))
    const [from, to, on] = [this.ints([start]), this.ints([start + size]), this.ints([axis])]
    return this.one('Slice', [x, from, to, on], shape)
  }
  split(x: Value, axis: number, sizes: readonly number[]): Value[] {
    const parts = sizes.map((size) => ({ dtype: x.dtype, shape: x.shape.map((dim, i) => (i === axis ? size : dim)) }))
    return this.node('Split', [x, this.ints(sizes)], parts, { axis: { int: axis } })
  }
  concat(values: readonly Value[], axis: number): Value {
    const shape = values[0]!.shape.map((dim, i) =>
      i === axis ? values.reduce((n, value) => n + value.shape[axis]!, 0) : dim,
    )
    return this.one('Concat', values, shape, { axis: { int: axis } })
  }
  gather(x: Value, indices: Value): Value {
    return this.one('Gather', [x, indices], [...indices.shape, ...x.shape.slice(1)], { axis: { int: 0 } })
  }

  // ---- products ---------------------------------------------------------------------------------------------------

  /** alpha · op(a) · op(b) + onto of matrices, `op` a transpose where asked; `onto` is a matrix or a row. */
  gemm(a: Value, b: Value, { transA = false, transB = false, alpha = 1 } = {}, onto?: Value): Value {
    const rows = a.shape[transA ? 1 : 0]!
    const columns = b.shape[transB ? 0 : 1]!
    const inner = [a.shape[transA ? 0 : 1], b.shape[transB ? 1 : 0]]
    if (a.shape.length !== 2 || b.shape.length !== 2 || inner[0] !== inner[1])
      throw new ShapeError(
        `cannot multiply ${show(a.shape)}${transA ? 'ᵀ' : ''} by ${show(b.shape)}${transB ? 'ᵀ' : ''}`,
      )
    if (onto !== undefined && !sameShape(broadcastShape(onto.shape, [rows, columns]), [rows, columns]))
      throw new ShapeError(`cannot add ${show([rows, columns])} onto ${show(onto.shape)}`)
    return this.one('Gemm', onto === undefined ? [a, b] : [a, b, onto], [rows, columns], {
      ...(transA && { transA: { int: 1 } }),
      ...(transB && { transB: { int: 1 } }),
      ...(alpha !== 1 && { alpha: { float: alpha } }),
    })
  }

  /** Batched alpha · op(a) · op(b) over equal leading dimensions, rank 3 or more. */
  matmul(a: Value, b: Value, { transA = false, transB = false, alpha = 1 } = {}): Value {
    const rank = a.shape.length
    const swap = (shape: Shape): number[] => [...shape.slice(0, -2), shape.at(-1)!, shape.at(-2)!]
    const left = transA ? swap(a.shape) : a.shape
    const right = transB ? swap(b.shape) : b.shape
    if (
      rank < 3 ||
      rank !== b.shape.length ||
      left.at(-1) !== right.at(-2) ||
      !sameShape(left.slice(0, -2), right.slice(0, -2))
    )
      throw new ShapeError(`cannot multiply ${show(left)} by ${show(right)}`)
    const shape = [...left.slice(0, -1), right.at(-1)!]
    if (this.fused)
      return this.one(
        'FusedMatMul',
        [a, b],
        shape,
        {
          ...(transA && { transA: { int: 1 } }),
          ...(transB && { transB: { int: 1 } }),
          ...(alpha !== 1 && { alpha: { float: alpha } }),
        },
        'com.microsoft',
      )
    const perm = [...Array.from({ length: rank - 2 }, (_, axis) => axis), rank - 1, rank - 2]
    const turned = (x: Value, turn: boolean) => (turn ? this.transpose(x, perm) : x)
    return this.scale(this.one('MatMul', [turned(a, transA), turned(b, transB)], shape), alpha)
  }
}
