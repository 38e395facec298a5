/** Streams a stored tensor's bytes in pieces, so that a large embedding never stands in memory twice. */
import { BadInput } from '../../../shared/bad-input.ts'
import type { StoredTensor } from './base-model.ts'
import { readFully, withInputFile } from './input-file.ts'

/** 8 MiB: large enough for full disk speed, a multiple of every element size. */
export const PIECE_BYTES = 8 * 1024 * 1024

/** Calls `use` with successive pieces of the tensor. The piece's buffer is used again; copy what must stay. */
export function forEachPiece(tensor: StoredTensor, use: (piece: Uint8Array<ArrayBuffer>) => void): void {
  withInputFile(tensor.file, (fd) => {
    const buffer = new Uint8Array(Math.min(PIECE_BYTES, tensor.length))
    for (let done = 0; done < tensor.length; done += buffer.byteLength) {
      const piece = buffer.subarray(0, Math.min(buffer.byteLength, tensor.length - done))
      readFully(tensor.file, fd, piece, tensor.offset + done)
      use(piece)
    }
  })
}

/** All bytes of a tensor in one buffer of its own. */
export function storedBytes(tensor: StoredTensor): Uint8Array<ArrayBuffer> {
  return withInputFile(tensor.file, (fd, size) => {
    if (tensor.offset + tensor.length > size) {
      throw new BadInput(tensor.file, 'the file has become shorter since it was opened', `tensor ${tensor.name}`)
    }
    const bytes = new Uint8Array(tensor.length)
    readFully(tensor.file, fd, bytes, tensor.offset)
    return bytes
  })
}

/** Whether two tensors hold the same bytes (dtype and length must agree). */
export function sameBytes(a: StoredTensor, b: StoredTensor): boolean {
  if (a.dtype !== b.dtype || a.length !== b.length) return false
  return withInputFile(b.file, (fd) => {
    let offset = b.offset
    let same = true
    forEachPiece(a, (piece) => {
      if (!same) return
      const other = new Uint8Array(piece.byteLength)
      readFully(b.file, fd, other, offset)
      offset += piece.byteLength
      same = Buffer.compare(piece, other) === 0
    })
    return same
  })
}
