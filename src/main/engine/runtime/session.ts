/**
 * Runs compiled graphs on onnxruntime. The one place that touches its API. Sessions are created once and kept: creating
 * and releasing them leaks. `run` blocks the JavaScript thread, so a process that computes does nothing else.
 */
import { createRequire } from 'node:module'
import path from 'node:path'
import type * as Ort from 'onnxruntime-node'
import type { CompiledGraph, TensorInfo } from '../graph/graph.ts'
import { sizeOf } from '../graph/shape.ts'
import type { Device } from './device.ts'

// CommonJS require: the native package loads only when something computes, never for `help` or `corpus`.
const load = createRequire(import.meta.url)
let loaded: typeof Ort | undefined
function ort(): typeof Ort {
  if (loaded === undefined) {
    loaded = load('onnxruntime-node') as typeof Ort
    // What fails is thrown and said once, by us; the library's own lines on stderr would come on top.
    loaded.env.logLevel = 'fatal'
  }
  return loaded
}

export type Tensor = Ort.Tensor
export type Tensors = Readonly<Record<string, Tensor>>

/** Memory ran out: told apart from an unsupported operation and from a crash. */
export class OutOfMemory extends Error {
  override readonly name = 'OutOfMemory'
}

const arrayOf = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  int64: BigInt64Array,
  bool: Uint8Array,
} as const
type HostType = keyof typeof arrayOf

/** A tensor over the caller's memory (not a copy): later writes to `data` are seen by the next run. */
export function tensor(
  dtype: HostType,
  data: InstanceType<(typeof arrayOf)[HostType]>,
  shape: readonly number[],
): Tensor {
  if (data.length !== sizeOf(shape)) throw new Error(`${data.length} values do not fill [${shape}]`)
  return new (ort().Tensor)(dtype as 'float32', data as Float32Array, shape)
}

export function int64(values: readonly number[], shape: readonly number[]): Tensor {
  return tensor('int64', BigInt64Array.from(values, BigInt), shape)
}

export class Session {
  readonly inputs: readonly TensorInfo[]
  readonly outputs: readonly TensorInfo[]
  private readonly session: Ort.InferenceSession

  private constructor(session: Ort.InferenceSession, graph: CompiledGraph) {
    this.session = session
    this.inputs = graph.inputs
    this.outputs = graph.outputs
  }

  static async create(graph: CompiledGraph, device: Device): Promise<Session> {
    const folders = new Set(graph.externalFiles.map((file) => path.dirname(file)))
    if (folders.size > 1) throw new Error('external weights must stand in one folder')
    const [folder] = folders
    const options: Ort.InferenceSession.SessionOptions = {
      executionProviders: [device.name],
      intraOpNumThreads: device.threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      // The extended optimisations fuse into kernels that exist in float32 only.
      graphOptimizationLevel: graph.float === 'float64' ? 'basic' : 'all',
      logSeverityLevel: 3,
      extra: {
        session: {
          // A masked key's weight is a denormal number, on which softmax takes seven times as long.
          ...(graph.float === 'float32' && { set_denormal_as_zero: '1' }),
          ...(folder !== undefined && {
            model_external_initializers_file_folder_path: folder,
            // Prepacking would copy every memory-mapped weight into private memory, once per session.
            disable_prepacking: '1',
          }),
        },
      },
    }
    try {
      return new Session(await ort().InferenceSession.create(graph.bytes, options), graph)
    } catch (error) {
      throw explained(error, 'creating a session')
    }
  }

  /**
   * Runs the graph. Outputs named in `into` are also written into those tensors; the others come back in memory of their
   * own. Shapes and names are checked by onnxruntime against the declared inputs.
   */
  async run(feeds: Tensors, into: Tensors = {}): Promise<Tensors> {
    const fetches = Object.fromEntries(this.outputs.map(({ name }) => [name, into[name] ?? null]))
    try {
      return await this.session.run(feeds, fetches)
    } catch (error) {
      throw explained(error, 'running a graph')
    }
  }
}

function explained(error: unknown, doing: string): Error {
  const message = error instanceof Error ? error.message : String(error)
  if (/bad_alloc|failed to allocate|out of memory/i.test(message))
    return new OutOfMemory(`memory ran out while ${doing}: ${message}`)
  return new Error(`onnxruntime failed while ${doing}: ${message}`, { cause: error })
}

/** Version of the onnxruntime library in use. */
export function runtimeVersion(): string {
  return ort().env.versions.node ?? ort().env.versions.common ?? 'unknown'
}
