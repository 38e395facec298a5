/** Base weights as graph constants: one copy on disk or in memory, shared by every session, never written to. */
import type { BaseModel } from '../checkpoint/base-model.ts'
import { requireFinite } from '../checkpoint/finite-weights.ts'
import type { FloatType, Value } from '../graph/emitter.ts'
import type { Graph } from '../graph/graph.ts'

/** Above this, weights stay in a memory-mapped file beside the model instead of inside each session. */
export const inlineLimitBytes = 256 * 1024 * 1024

/** A float32 little-endian file that holds every tensor (see `checkpoint/external-weights.ts`). */
export interface ExternalWeights {
  readonly file: string
  readonly offsets: ReadonlyMap<string, { readonly offset: number; readonly length: number }>
}

export function float32Bytes(base: BaseModel): number {
  let total = 0
  for (const { shape } of base.tensors.values()) total += 4 * shape.reduce((product, dim) => product * dim, 1)
  return total
}

export class FrozenWeights {
  readonly base: BaseModel
  private readonly external: ExternalWeights | undefined
  private readonly inline = new Map<string, Uint8Array>()

  constructor(base: BaseModel, external?: ExternalWeights) {
    this.base = base
    this.external = external
  }

  /** Declares tensor `name` in the graph, in the graph's float type; `as` where another base has one of that name. */
  place(g: Graph, name: string, as = name): Value {
    const stored = this.base.tensors.get(name)
    if (stored === undefined) throw new Error(`base model has no tensor ${name}`)
    const external = g.float === 'float32' ? this.external?.offsets.get(name) : undefined
    if (external !== undefined) return g.constant(as, stored.shape, { file: this.external!.file, ...external })
    return g.constant(as, stored.shape, { raw: this.bytes(name, g.float) })
  }

  private bytes(name: string, float: FloatType): Uint8Array {
    const key = `${float} ${name}`
    const known = this.inline.get(key)
    if (known !== undefined) return known
    const values = this.base.float32(name)
    requireFinite(values, this.base.tensors.get(name)?.file ?? this.base.dir, name)
    const array = float === 'float64' ? Float64Array.from(values) : values
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    this.inline.set(key, bytes)
    return bytes
  }
}
