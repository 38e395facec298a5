/**
 * What a primitive is: a shape rule, the ONNX nodes of its forward pass, its reverse rule (vjp) and its forward rule
 * (jvp). `primitives/` holds one family a file; `primitives/index.ts` is the closed list that the gradient tests walk.
 */
import type { Emitter, Value } from './emitter.ts'

/** A value or "identically zero / not asked for". */
export type Maybe = Value | null

/** One application of a primitive as its derivative rules see it. */
export interface Applied<P, S> {
  readonly inputs: readonly Value[]
  readonly output: Value
  readonly params: P
  /** What the forward pass keeps for the derivative (an inverse norm, a log-softmax). */
  readonly saved: S
}

export interface Primitive<P, S = undefined> {
  readonly name: string
  /** Emits the forward nodes. Throws ShapeError where shapes do not fit. */
  forward(e: Emitter, inputs: readonly Value[], params: P): { output: Value; saved: S }
  /** Cotangents of the inputs whose `need` is set, given the cotangent of the output. */
  vjp(e: Emitter, applied: Applied<P, S>, cotangent: Value, need: readonly boolean[]): Maybe[]
  /** Tangent of the output, given tangents of the inputs; at least one is not null. */
  jvp(e: Emitter, applied: Applied<P, S>, tangents: readonly Maybe[]): Maybe
}
