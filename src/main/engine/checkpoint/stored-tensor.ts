/** Streams a stored tensor's bytes in pieces, so that a large embedding never stands in memory as a whole. */
import { BadInput } from '../../../shared/bad-input.ts'
import type { StoredTensor } from './base-model.ts'
import { readFully, withInputFile } from './input-file.ts'

/** 8 MiB: large enough for full disk speed, a multiple of every element size. */
export const PIECE_BYTES = 8 * 1024 * 1024

/** Successive pieces of the tensor's bytes. The buffer is used again for the next piece; copy what must stay. */
export function* pieces(tensor: StoredTensor, pieceBytes = PIECE_BYTES): Generator<Uint8Array<ArrayBuffer>> {
  const buffer = new Uint8Array(Math.min(pieceBytes, tensor.length))
  for (let done = 0; done < tensor.length; done += buffer.byteLength) {
    const piece = buffer.subarray(0, Math.min(buffer.byteLength, tensor.length - done))
    readRange(tensor, done, piece)
    yield piece
  }
}

/** All bytes of a tensor in one buffer of its own. */
export function storedBytes(tensor: StoredTensor): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(tensor.length)
  readRange(tensor, 0, bytes)
  return bytes
}

/** Whether two tensors hold the same bytes under the same dtype. */
export function sameBytes(a: StoredTensor, b: StoredTensor): boolean {
  if (a.dtype !== b.dtype || a.length !== b.length) return false
  let done = 0
  for (const piece of pieces(a)) {
    const other = new Uint8Array(piece.byteLength)
    readRange(b, done, other)
    if (Buffer.compare(piece, other) !== 0) return false
    done += piece.byteLength
  }
  return true
}

function readRange(tensor: StoredTensor, start: number, target: Uint8Array): void {
  withInputFile(tensor.file, (fd, size) => {
    if (tensor.offset + tensor.length > size) {
      throw new BadInput(tensor.file, 'the file has become shorter since it was opened', `tensor ${tensor.name}`)
    }
    readFully(tensor.file, fd, target, tensor.offset + start)
  })
}
