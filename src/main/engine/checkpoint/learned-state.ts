/**
 * A learned state: everything one role has learned (LoRA factors, scalar head) as plain data in one buffer.
 * Optimizers, checkpoints, PEFT folders, resume equality and credit audits all work on this shape.
 * It knows nothing of graphs, files or devices.
 */
import { createHash } from 'node:crypto'

/** One tensor of a learned state. `offset` and `size` count float32 elements in `LearnedState.data`. */
export interface TensorSpec {
  readonly name: string
  readonly shape: readonly number[]
  readonly offset: number
  readonly size: number
}

/**
 * Names are `model.layers.N.<self_attn|mlp>.<proj>.lora_A` (shape [rank, in]) and `.lora_B` ([out, rank]),
 * then `head.weight` ([1, hidden]) and `head.bias` ([1]) where the role has a scalar head.
 */
export interface LearnedState {
  readonly specs: readonly TensorSpec[]
  readonly data: Float32Array
}

/** Lays tensors out back to back in the order given. */
export function layOut(tensors: readonly { name: string; shape: readonly number[] }[]): TensorSpec[] {
  let offset = 0
  return tensors.map(({ name, shape }) => {
    const size = shape.reduce((product, dim) => product * dim, 1)
    const spec = { name, shape, offset, size }
    offset += size
    return spec
  })
}

export function emptyState(specs: readonly TensorSpec[]): LearnedState {
  const last = specs.at(-1)
  return { specs, data: new Float32Array(last === undefined ? 0 : last.offset + last.size) }
}

/** A deep copy: the result shares no buffer with the argument. */
export function cloneState(state: LearnedState): LearnedState {
  return { specs: state.specs, data: state.data.slice() }
}

/** A view (not a copy) of one tensor's values. Throws when the state has no tensor of that name. */
export function tensorOf(state: LearnedState, name: string): Float32Array {
  const spec = state.specs.find((candidate) => candidate.name === name)
  if (spec === undefined) throw new Error(`learned state has no tensor ${name}`)
  return state.data.subarray(spec.offset, spec.offset + spec.size)
}

/** SHA-256 of a typed array's bytes, little-endian as in memory. */
export function bytesSha256(values: ArrayBufferView): string {
  return createHash('sha256')
    .update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    .digest('hex')
}

/**
 * The identity of a learned state: SHA-256 over the canonical JSON (sorted keys, compact) of the rows
 * {dtype, name, numel, sha256, shape} sorted by name. Names carry the study's `backbone.` prefix for LoRA
 * factors, so the same tensors have the same identity in the reference study (its `learned_identity`).
 */
export function learnedSha256(state: LearnedState): string {
  const rows = state.specs
    .map((spec) => ({
      dtype: 'torch.float32',
      name: spec.name.startsWith('head.') ? spec.name : `backbone.${spec.name}`,
      numel: spec.size,
      sha256: bytesSha256(state.data.subarray(spec.offset, spec.offset + spec.size)),
      shape: spec.shape,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
}
