/** Every primitive there is. A gradient test walks this list: nothing enters it without a case. */
import { add, clip, exp, log, logSigmoid, minimum, mul, scale, select, silu, square, sub } from './elementwise.ts'
import { rmsNorm, rotary, softmax, tokenLogProb } from './network.ts'
import { linear, matmul } from './products.ts'
import { concat, embed, reshape, slice, sum, transpose } from './structural.ts'

export const primitives = {
  add,
  clip,
  concat,
  embed,
  exp,
  linear,
  log,
  logSigmoid,
  matmul,
  minimum,
  mul,
  reshape,
  rmsNorm,
  rotary,
  scale,
  select,
  silu,
  slice,
  softmax,
  square,
  sub,
  sum,
  tokenLogProb,
  transpose,
}
export type PrimitiveName = keyof typeof primitives
