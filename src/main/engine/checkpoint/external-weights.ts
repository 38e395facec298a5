/**
 * One float32 file with all base weights, to be memory-mapped as ONNX external data: the checkpoint's own file where it
 * is already that, else an expansion in the cache that is made once per base model.
 */
import { mkdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import { writeFileAtomically } from './atomic-write.ts'
import type { BaseModel, StoredTensor } from './base-model.ts'
import { requireFinite } from './finite-weights.ts'
import { widen } from './float-widening.ts'
import { fileProblem } from './input-file.ts'
import { pieces } from './stored-tensor.ts'

export interface Float32File {
  readonly file: string
  /** Byte offset and byte length of each tensor's little-endian float32 values. */
  readonly offsets: ReadonlyMap<string, { readonly offset: number; readonly length: number }>
}

/** Tensors start on page boundaries, which every memory map can use directly. */
const PAGE = 4096
/** Left free beside the expansion, so that making it never fills the disk to the brim. */
const DISK_RESERVE = 64 * 1024 * 1024

/**
 * @param cacheDir made when missing; holds `<base sha256>.f32` files
 * @param freeBytes how much room a folder's disk has
 * @throws BadInput when a weight is not finite, the cache cannot be written, or the disk has too little room, with both
 * figures
 */
export function float32File(base: BaseModel, cacheDir: string, freeBytes = freeBytesOf): Float32File {
  const tensors = [...base.tensors.values()]
  const first = tensors[0]!
  const usable = (tensor: StoredTensor) =>
    tensor.dtype === 'F32' && tensor.file === first.file && tensor.offset % Float32Array.BYTES_PER_ELEMENT === 0
  if (tensors.every(usable)) {
    return { file: first.file, offsets: new Map(tensors.map(({ name, offset, length }) => [name, { offset, length }])) }
  }
  const { offsets, size } = layOutPages(tensors)
  const file = join(cacheDir, `${base.sha256()}.f32`)
  if (!isWhole(file, size)) {
    prepareCache(cacheDir, size, freeBytes)
    writeFileAtomically(file, expanded(tensors, offsets))
  }
  return { file, offsets }
}

function layOutPages(tensors: readonly StoredTensor[]): { offsets: Float32File['offsets']; size: number } {
  const offsets = new Map<string, { offset: number; length: number }>()
  let size = 0
  for (const { name, shape } of tensors) {
    const offset = Math.ceil(size / PAGE) * PAGE
    const length = shape.reduce((product, dim) => product * dim, Float32Array.BYTES_PER_ELEMENT)
    offsets.set(name, { offset, length })
    size = offset + length
  }
  return { offsets, size }
}

/** Files appear here by rename after a sync, so one of the right name and size is complete. */
function isWhole(file: string, size: number): boolean {
  return statSync(file, { throwIfNoEntry: false })?.size === size
}

function prepareCache(cacheDir: string, size: number, freeBytes: (dir: string) => number): void {
  try {
    mkdirSync(cacheDir, { recursive: true })
  } catch (error) {
    throw new BadInput(cacheDir, `the cache folder cannot be made: ${fileProblem(error)}`)
  }
  const free = freeBytes(cacheDir)
  if (free < size + DISK_RESERVE) {
    const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`
    const need = megabytes(size + DISK_RESERVE)
    throw new BadInput(
      cacheDir,
      `the float32 copy of the base model needs ${need}, the disk has ${megabytes(free)} free`,
    )
  }
}

function freeBytesOf(dir: string): number {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}

/** Page-padded tensors, widened piece by piece. */
function* expanded(tensors: readonly StoredTensor[], offsets: Float32File['offsets']): Generator<Uint8Array> {
  let position = 0
  for (const tensor of tensors) {
    const { offset, length } = offsets.get(tensor.name)!
    yield new Uint8Array(offset - position)
    let read = 0
    for (const piece of pieces(tensor)) {
      const values = widen(tensor.dtype, piece)
      requireFinite(values, tensor.file, tensor.name, read)
      read += values.length
      yield new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    }
    position = offset + length
  }
}
