/** Writer of the safetensors container: the same tensors always give the same bytes, and a file appears whole. */
import { type AtomicWriteOptions, writeFileAtomically } from './atomic-write.ts'
import { itemSizes, type SafetensorsDtype } from './safetensors-dtypes.ts'

export interface TensorToWrite {
  readonly dtype: SafetensorsDtype
  readonly shape: readonly number[]
  /** Little-endian elements, or a function that makes them when their turn comes (one tensor in memory at a time). */
  readonly bytes: Uint8Array | (() => Uint8Array)
}

/** Keeps the data section aligned for every element type. */
const HEADER_ALIGNMENT = 8

/**
 * Order of the data: element size descending, then name, so that every tensor is aligned to its own elements.
 * @throws Error when a tensor's bytes do not fit its shape (a programming error); BadInput when it cannot be written
 */
export function writeSafetensors(
  path: string,
  tensors: Readonly<Record<string, TensorToWrite>>,
  metadata: Readonly<Record<string, string>> = {},
  options: AtomicWriteOptions = {},
): void {
  const ordered = orderTensors(tensors)
  const header = safetensorsHeaderText(ordered, metadata)
  writeFileAtomically(path, chunks(header, ordered), options)
}

function* chunks(header: string, ordered: readonly [string, TensorToWrite][]): Iterable<Uint8Array> {
  const text = new TextEncoder().encode(header)
  const start = new Uint8Array(8 + text.byteLength)
  new DataView(start.buffer).setBigUint64(0, BigInt(text.byteLength), true)
  start.set(text, 8)
  yield start
  for (const [name, tensor] of ordered) {
    const bytes = typeof tensor.bytes === 'function' ? tensor.bytes() : tensor.bytes
    if (bytes.byteLength !== byteLength(tensor)) {
      throw new Error(`tensor ${name}: ${bytes.byteLength} bytes for ${tensor.dtype} [${tensor.shape.join(', ')}]`)
    }
    yield bytes
  }
}

type Described = Pick<TensorToWrite, 'dtype' | 'shape'>

export function orderTensors<T extends Described>(tensors: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(tensors).sort(
    ([a, x], [b, y]) => itemSizes[y.dtype] - itemSizes[x.dtype] || (a < b ? -1 : a > b ? 1 : 0),
  )
}

/** The header's JSON, padded with spaces; `ordered` comes from `orderTensors`. */
export function safetensorsHeaderText(
  ordered: readonly (readonly [string, Described])[],
  metadata: Readonly<Record<string, string>>,
): string {
  const parts: string[] = []
  const keys = Object.keys(metadata).sort()
  if (keys.length > 0) {
    const entries = keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(metadata[key])}`)
    parts.push(`"__metadata__":{${entries.join(',')}}`)
  }
  let offset = 0
  for (const [name, tensor] of ordered) {
    if (name === '__metadata__') throw new Error('a tensor cannot be called __metadata__')
    const end = offset + byteLength(tensor)
    const entry = { dtype: tensor.dtype, shape: tensor.shape, data_offsets: [offset, end] }
    parts.push(`${JSON.stringify(name)}:${JSON.stringify(entry)}`)
    offset = end
  }
  const json = `{${parts.join(',')}}`
  const length = Buffer.byteLength(json)
  return json + ' '.repeat((HEADER_ALIGNMENT - (length % HEADER_ALIGNMENT)) % HEADER_ALIGNMENT)
}

function byteLength(tensor: Described): number {
  return tensor.shape.reduce((product, size) => product * size, itemSizes[tensor.dtype] as number)
}
