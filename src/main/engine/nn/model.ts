/**
 * A base model ready to compute: one frozen base, any number of learned states fed to it. Compiles each objective once
 * per batch shape and keeps the session. Knows no optimizer and no data set.
 */
import type { BaseModel } from '../checkpoint/base-model.ts'
import type { LearnedState, TensorSpec } from '../checkpoint/learned-state.ts'
import type { FloatType, Profile, Value, WideSums } from '../graph/emitter.ts'
import { Graph, type Rounding } from '../graph/graph.ts'
import type { Device } from '../runtime/device.ts'
import { Session, type Tensor, type Tensors, tensor } from '../runtime/session.ts'
import type { Batch, BatchShape } from './batch.ts'
import type { Parameters } from './decoder.ts'
import type { Objective } from './objectives.ts'
import type { FrozenWeights } from './weights.ts'

/** The shape of a learned state and the scale of its low-rank branch: everything a graph needs to declare its inputs. */
export interface LearnedLayout {
  readonly specs: readonly TensorSpec[]
  /** alpha / rank. */
  readonly loraScale: number
}

/** The base alone, without an adapter. */
export const noAdapter: LearnedLayout = { specs: [], loraScale: 0 }

export type Numbers = Float32Array | Float64Array

/** Memory for a gradient in a learned state's layout, of the model's float type. */
export interface GradientBuffer {
  readonly specs: readonly TensorSpec[]
  readonly data: Numbers
}

export interface ModelOptions {
  readonly device: Device
  /** Float64 is for audits and references; it is portable and several times slower. */
  readonly float?: FloatType
  readonly profile?: Profile
  /** Emulates a narrower float type on float32: parameters and every primitive's result are rounded to it. */
  readonly rounding?: Rounding | null
  readonly wideSums?: WideSums
}

export class Model {
  readonly weights: FrozenWeights
  readonly device: Device
  readonly float: FloatType
  readonly profile: Profile
  readonly rounding: Rounding | null
  readonly wideSums: WideSums
  private readonly compiled = new Map<string, Promise<Session>>()

  constructor(
    weights: FrozenWeights,
    { device, float = 'float32', profile, rounding = null, wideSums = 'none' }: ModelOptions,
  ) {
    this.weights = weights
    this.device = device
    this.float = float
    this.rounding = rounding
    this.wideSums = wideSums
    // The fused kernels' gradients were found wrong on WebGPU: only the CPU uses them.
    this.profile = profile ?? (float === 'float32' && device.name === 'cpu' ? 'fused' : 'portable')
  }

  get base(): BaseModel {
    return this.weights.base
  }

  newGraph(): Graph {
    const { float, profile, rounding, wideSums } = this
    return new Graph({ float, profile, rounding, wideSums })
  }

  /** Parameters of one graph: the base as constants, the learned tensors as inputs named as in the state. */
  parameters(
    g: Graph,
    { specs, loraScale }: LearnedLayout,
  ): Parameters & { learned: Value[]; head: { weight: Value; bias: Value | null } | null } {
    const placed = new Map<string, Value>()
    const learned = specs.map(({ name, shape }) => g.round(g.input(name, shape)))
    const byName = new Map(learned.map((value, i) => [specs[i]!.name, value]))
    const headWeight = byName.get('head.weight')
    return {
      learned,
      loraScale,
      head: headWeight === undefined ? null : { weight: headWeight, bias: byName.get('head.bias') ?? null },
      weight: (name) => {
        const trained = byName.get(name)
        if (trained !== undefined) return trained
        const stored = this.base.tensors.get(name)
        if (stored === undefined) return null
        // What is stored as bfloat16 needs no rounding to it, nor a rounded copy in the session.
        const place = () =>
          stored.dtype === 'BF16' ? this.weights.place(g, name) : g.round(this.weights.place(g, name))
        const value = placed.get(name) ?? place()
        placed.set(name, value)
        return value
      },
      lora: (projection) => {
        const [a, b] = [byName.get(`${projection}.lora_A`), byName.get(`${projection}.lora_B`)]
        return a === undefined || b === undefined ? null : { a, b }
      },
    }
  }

  /** Compiles `build` once under `key`; later calls reuse the session. `threads` may be fewer than the device's. */
  compile(key: string, build: (g: Graph) => void, threads = this.device.threads): Promise<Session> {
    const known = this.compiled.get(key)
    if (known !== undefined) return known
    const made = (async () => {
      const g = this.newGraph()
      build(g)
      return Session.create(g.compile(), { ...this.device, threads })
    })()
    this.compiled.set(key, made)
    return made
  }

  private objective(name: string, objective: Objective, layout: LearnedLayout, shape: BatchShape): Promise<Session> {
    return this.compile(graphKey(name, layout, shape), (g) => {
      const parameters = this.parameters(g, layout)
      const loss = objective({ g, config: this.base.config, parameters, shape })
      if (loss === null) return
      g.gradient(loss, parameters.learned).forEach((gradient, i) => {
        g.output(gradientName(layout.specs[i]!.name), gradient)
      })
    })
  }

  /**
   * Runs an objective on a batch. Outputs other than gradients are returned; gradients are written into
   * `gradient` (same layout as the state), replacing what was there.
   */
  async evaluate(
    name: string,
    objective: Objective,
    layout: LearnedLayout,
    state: LearnedState | null,
    batch: Batch,
    extra: Tensors = {},
    gradient?: GradientBuffer,
  ): Promise<Record<string, Numbers>> {
    const session = await this.objective(name, objective, layout, batch.shape)
    const feeds = {
      ...declared(session, batch.feeds),
      ...this.cast(extra),
      ...(state === null ? {} : this.views(state, '')),
    }
    const results = await session.run(feeds, gradient === undefined ? undefined : this.views(gradient, 'gradient/'))
    return Object.fromEntries(
      session.outputs.flatMap(({ name: output }) =>
        output.startsWith('gradient/') ? [] : [[output, results[output]!.data as Numbers]],
      ),
    )
  }

  /** Zeros, or the values given, in the model's float type. */
  floatTensor(values: number | Numbers, shape: readonly number[]): Tensor {
    const data = typeof values === 'number' ? this.floatArray(values) : values
    return tensor(this.float, data as Float32Array<ArrayBuffer>, shape)
  }

  floatArray(length: number): Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer> {
    return this.float === 'float32' ? new Float32Array(length) : new Float64Array(length)
  }

  private cast(feeds: Tensors): Tensors {
    if (this.float === 'float32') return feeds
    return Object.fromEntries(
      Object.entries(feeds).map(([name, value]) =>
        value.type === 'float32'
          ? [name, tensor('float64', Float64Array.from(value.data as Float32Array), value.dims)]
          : [name, value],
      ),
    )
  }

  private readonly viewsOf = new WeakMap<Numbers, Map<string, Tensors>>()

  /** Tensors over a buffer's own memory, by prefixed name: made once per buffer, they follow its later values. */
  views(buffer: GradientBuffer, prefix: string): Tensors {
    // A float64 graph takes a float32 state by widening it, so its view is a copy of the moment.
    if (this.float === 'float64' && buffer.data instanceof Float32Array)
      return makeViews({ specs: buffer.specs, data: Float64Array.from(buffer.data) }, prefix)
    const byPrefix = this.viewsOf.get(buffer.data) ?? new Map<string, Tensors>()
    this.viewsOf.set(buffer.data, byPrefix)
    const views = byPrefix.get(prefix) ?? makeViews(buffer, prefix)
    byPrefix.set(prefix, views)
    return views
  }
}

/** Only what the graph declares: a reading graph does not take the response mask of a loss. */
export function declared(session: Session, feeds: Tensors): Tensors {
  return Object.fromEntries(
    session.inputs.flatMap(({ name }) => (feeds[name] === undefined ? [] : [[name, feeds[name]]])),
  )
}

/** What tells apart graphs of one kind: the learned layout and the batch's shape. */
export function graphKey(name: string, { specs, loraScale }: LearnedLayout, shape: BatchShape): string {
  const rank = specs[0]?.shape.join('x') ?? ''
  return `${name} ${shape.batch}x${shape.prompt}+${shape.response} ${specs.length}/${rank}/${loraScale}`
}

function makeViews({ specs, data }: GradientBuffer, prefix: string): Tensors {
  const type = data instanceof Float32Array ? 'float32' : 'float64'
  return Object.fromEntries(
    specs.map(({ name, shape, offset, size }) => [
      prefix + name,
      tensor(type, data.subarray(offset, offset + size) as Float32Array<ArrayBuffer>, shape),
    ]),
  )
}

function gradientName(name: string): string {
  return `gradient/${name}`
}
