/**
 * A tensor graph with a tape: builds the forward pass, derives reverse-mode and forward-mode derivatives from it, and
 * yields the ONNX bytes of the whole. It knows tensors only; models are `nn/`'s, execution is `runtime/`'s.
 */
import { Emitter, type FloatType, type Profile, type Value, type WideSums } from './emitter.ts'
import { type DType, encodeModel, type OnnxNode, type OnnxValue, type TensorBytes } from './onnx.ts'
import type { Applied, Maybe, Primitive } from './primitive.ts'
import { primitives } from './primitives/index.ts'
import { type Shape, ShapeError, sameShape, show } from './shape.ts'

/** A narrower float type that a float32 graph can round to. */
export type Rounding = 'bfloat16'

export interface TensorInfo {
  readonly name: string
  readonly dtype: DType
  readonly shape: Shape
}

/** ONNX bytes and what goes in and comes out, in declaration order. */
export interface CompiledGraph {
  readonly bytes: Uint8Array
  readonly inputs: readonly TensorInfo[]
  readonly outputs: readonly TensorInfo[]
  /** Files that hold external initializers; empty when all bytes are in the model. */
  readonly externalFiles: readonly string[]
  readonly float: FloatType
}

interface TapeEntry {
  readonly primitive: Primitive<unknown, unknown>
  readonly applied: Applied<unknown, unknown>
  readonly scope: string
}

export class Graph {
  readonly float: FloatType
  readonly profile: Profile
  /** Set: every result of a primitive and every derivative is rounded to it; arithmetic inside a primitive is not. */
  readonly rounding: Rounding | null
  private readonly emitter: Emitter
  private readonly tape: TapeEntry[] = []
  private readonly inputs: OnnxValue[] = []
  private readonly outputs: OnnxValue[] = []

  /** Float64 graphs are portable: the fused kernels are float32 only. */
  constructor({
    float = 'float32',
    profile = float === 'float32' ? 'fused' : 'portable',
    rounding = null,
    wideSums = 'none',
  }: { float?: FloatType; profile?: Profile; rounding?: Rounding | null; wideSums?: WideSums } = {}) {
    if (rounding !== null && float !== 'float32') throw new Error(`${rounding} is emulated on float32 only`)
    this.float = float
    this.profile = profile
    this.rounding = rounding
    this.emitter = new Emitter(float, profile, wideSums)
  }

  /** A tensor fed at every run. */
  input(name: string, shape: Shape, dtype: DType = this.float): Value {
    if (this.inputs.some((known) => known.name === name)) throw new Error(`graph has two inputs named ${name}`)
    const value = { name, dtype, shape }
    this.inputs.push(value)
    return value
  }

  /** A tensor fixed in the session: base weights, tables. */
  constant(name: string, shape: Shape, bytes: TensorBytes, dtype: DType = this.float): Value {
    return this.emitter.initializer(name, dtype, shape, bytes)
  }

  /** Names a result. */
  output(name: string, value: Value): void {
    this.emitter.nodes.push({
      name: `output/${name}`,
      op: 'Identity',
      domain: '',
      inputs: [value.name],
      outputs: [name],
      attributes: {},
    })
    this.outputs.push({ name, dtype: value.dtype, shape: value.shape })
  }

  /**
   * The value in the graph's rounding, to nearest with ties to even; the same value where there is none. A parameter is
   * rounded before it is used, and is then differentiated as the rounded value.
   */
  round(x: Value): Value {
    if (this.rounding === null || x.dtype !== 'float32') return x
    return this.emitter.cast(this.emitter.cast(x, this.rounding), 'float32')
  }

  /** Everything applied inside `body` carries `name` in its nodes and in errors. */
  scoped<T>(name: string, body: () => T): T {
    return this.emitter.scoped(name, body)
  }

  apply<P, S>(primitive: Primitive<P, S>, inputs: readonly Value[], params: P): Value {
    const { scope } = this.emitter
    try {
      const { output: exact, saved } = primitive.forward(this.emitter, inputs, params)
      const output = this.round(exact)
      this.tape.push({
        primitive: primitive as Primitive<unknown, unknown>,
        applied: { inputs, output, params, saved },
        scope,
      })
      return output
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error
      const at = scope === '' ? '' : ` in ${scope}`
      throw new ShapeError(
        `${primitive.name}${at}: ${error.message}; inputs ${inputs.map((x) => show(x.shape)).join(', ')}`,
      )
    }
  }

  /**
   * Reverse mode: the gradient of a scalar (or of ⟨seed, y⟩) with respect to each of `wrt`, in that order.
   * Throws where `y` does not depend on one of them: a silent zero would hide a wiring fault.
   */
  gradient(y: Value, wrt: readonly Value[], seed?: Value): Value[] {
    if (seed === undefined && y.shape.length !== 0) throw new ShapeError(`gradient of ${show(y.shape)} needs a seed`)
    if (seed !== undefined && !sameShape(seed.shape, y.shape))
      throw new ShapeError(`seed ${show(seed.shape)} does not fit ${show(y.shape)}`)
    const reached = new Set(wrt.map((x) => x.name))
    for (const { applied } of this.tape)
      if (applied.inputs.some((x) => reached.has(x.name))) reached.add(applied.output.name)
    const cotangents = new Map<string, Value>([[y.name, seed ?? this.emitter.scalar(1)]])
    for (const { primitive, applied, scope } of this.tape.toReversed()) {
      const cotangent = cotangents.get(applied.output.name)
      const need = applied.inputs.map((x) => reached.has(x.name))
      if (cotangent === undefined || !need.includes(true)) continue
      const parts = this.emitter.scoped(`vjp/${scope}`, () => primitive.vjp(this.emitter, applied, cotangent, need))
      applied.inputs.forEach((x, i) => {
        const part = need[i] ? parts[i] : undefined
        if (!part) return
        const before = cotangents.get(x.name)
        const rounded = this.round(part)
        cotangents.set(x.name, before === undefined ? rounded : this.round(this.emitter.add(before, rounded)))
      })
    }
    return wrt.map((x) => {
      const gradient = cotangents.get(x.name)
      if (gradient === undefined) throw new Error(`${y.name} does not depend on ${x.name}`)
      return gradient
    })
  }

  /** Forward mode: the derivative of `y` along `directions` (value → tangent of the same shape). Null when it is zero. */
  jvp(y: Value, directions: readonly (readonly [Value, Value])[]): Maybe {
    const tangents = new Map<string, Value>()
    for (const [x, tangent] of directions) {
      if (!sameShape(x.shape, tangent.shape))
        throw new ShapeError(`direction ${show(tangent.shape)} does not fit ${x.name} ${show(x.shape)}`)
      tangents.set(x.name, tangent)
    }
    for (const { primitive, applied, scope } of [...this.tape]) {
      const incoming = applied.inputs.map((x) => tangents.get(x.name) ?? null)
      if (incoming.every((tangent) => tangent === null)) continue
      const tangent = this.emitter.scoped(`jvp/${scope}`, () => primitive.jvp(this.emitter, applied, incoming))
      if (tangent !== null) tangents.set(applied.output.name, this.round(tangent))
    }
    return tangents.get(y.name) ?? null
  }

  /** Nodes outside the differentiable vocabulary (masks, cached attention, diagnostics). */
  get raw(): Emitter {
    return this.emitter
  }

  compile(): CompiledGraph {
    const { initializers } = this.emitter
    const nodes = namedByProducers(this.emitter.nodes)
    const files = new Set(initializers.flatMap(({ bytes }) => ('file' in bytes ? [bytes.file] : [])))
    const bytes = encodeModel({ nodes, initializers, inputs: this.inputs, outputs: this.outputs })
    return { bytes, inputs: this.inputs, outputs: this.outputs, externalFiles: [...files], float: this.float }
  }

  // ---- the differentiable vocabulary --------------------------------------------------------------------------------

  add = (a: Value, b: Value): Value => this.apply(primitives.add, [a, b], {})
  sub = (a: Value, b: Value): Value => this.apply(primitives.sub, [a, b], {})
  mul = (a: Value, b: Value): Value => this.apply(primitives.mul, [a, b], {})
  minimum = (a: Value, b: Value): Value => this.apply(primitives.minimum, [a, b], {})
  exp = (x: Value): Value => this.apply(primitives.exp, [x], {})
  log = (x: Value): Value => this.apply(primitives.log, [x], {})
  square = (x: Value): Value => this.apply(primitives.square, [x], {})
  silu = (x: Value): Value => this.apply(primitives.silu, [x], {})
  logSigmoid = (x: Value): Value => this.apply(primitives.logSigmoid, [x], {})
  scale = (x: Value, factor: number): Value => this.apply(primitives.scale, [x], { factor })
  clip = (x: Value, low: number, high: number): Value => this.apply(primitives.clip, [x], { low, high })
  select = (mask: Value, x: Value): Value => this.apply(primitives.select, [mask, x], {})
  reshape = (x: Value, shape: Shape): Value => this.apply(primitives.reshape, [x], { shape })
  transpose = (x: Value, perm: readonly number[]): Value => this.apply(primitives.transpose, [x], { perm })
  sum = (x: Value, axes = x.shape.map((_, axis) => axis)): Value => this.apply(primitives.sum, [x], { axes })
  slice = (x: Value, axis: number, start: number, size: number): Value =>
    this.apply(primitives.slice, [x], { axis, start, size })
  concat = (values: readonly Value[], axis: number): Value => this.apply(primitives.concat, values, { axis })
  embed = (table: Value, ids: Value): Value => this.apply(primitives.embed, [table, ids], {})
  linear = (x: Value, w: Value, alpha = 1): Value => this.apply(primitives.linear, [x, w], { alpha })
  matmul = (a: Value, b: Value, { transB = false, alpha = 1 } = {}): Value =>
    this.apply(primitives.matmul, [a, b], { transB, alpha })
  softmax = (x: Value): Value => this.apply(primitives.softmax, [x], {})
  rmsNorm = (x: Value, w: Value, eps: number): Value => this.apply(primitives.rmsNorm, [x, w], { eps })
  rotary = (x: Value, positions: Value, cos: Value, sin: Value, negativeSin: Value): Value =>
    this.apply(primitives.rotary, [x, positions, cos, sin, negativeSin], {})
  tokenLogProb = (h: Value, w: Value, targets: Value): Value => this.apply(primitives.tokenLogProb, [h, w, targets], {})
}

/**
 * Lets nodes bear the names of the results they make, instead of copying each result under its name: a small graph spends
 * a noticeable share of its time on such copies. A result that is an input, a constant or named twice keeps its copy.
 */
function namedByProducers(nodes: readonly OnnxNode[]): OnnxNode[] {
  const produced = new Set(nodes.filter((node) => node.op !== 'Identity').flatMap((node) => node.outputs))
  const names = new Map<string, string>()
  const kept = nodes.filter(({ op, inputs, outputs }) => {
    const [from, to] = [inputs[0]!, outputs[0]!]
    if (op !== 'Identity' || !produced.has(from) || names.has(from)) return true
    names.set(from, to)
    return false
  })
  const named = (all: readonly string[]) => all.map((name) => names.get(name) ?? name)
  return kept.map((node) => ({ ...node, inputs: named(node.inputs), outputs: named(node.outputs) }))
}
