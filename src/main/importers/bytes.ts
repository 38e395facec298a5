/** Bytes that are read where they lie, so that the size of a file never decides how much memory an import takes. */
import { closeSync } from 'node:fs'
import { BadInput } from '../../shared/bad-input.ts'
import { openInputFile, readFully } from '../engine/checkpoint/input-file.ts'

export interface ByteSource {
  readonly length: number
  /** A fresh copy. Throws `BadInput` when the range is not inside. */
  read(offset: number, length: number): Uint8Array<ArrayBuffer>
  /** The range as a source of its own, named `label` in messages; nothing is copied. */
  part(offset: number, length: number, label: string): ByteSource
  fault(problem: string, offset: number): BadInput
}

export interface OpenFile extends ByteSource {
  close(): void
}

/** Throws `BadInput` for anything but a regular file that can be read. The caller closes it. */
export function openBytes(path: string): OpenFile {
  const { fd, size } = openInputFile(path)
  const fill = (offset: number, target: Uint8Array) => readFully(path, fd, target, offset)
  return { ...range(path, '', size, fill), close: () => closeSync(fd) }
}

export function bytesInMemory(file: string, bytes: Uint8Array): ByteSource {
  return range(file, '', bytes.length, (offset, target) => target.set(bytes.subarray(offset, offset + target.length)))
}

type Fill = (offset: number, target: Uint8Array) => void

function range(file: string, label: string, length: number, fill: Fill): ByteSource {
  const fault = (problem: string, offset: number) => new BadInput(file, problem, `${label}byte ${offset}`)
  const requireInside = (offset: number, count: number): void => {
    if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(count) || offset < 0 || count < 0)
      throw fault(`announces the impossible length ${count}`, offset)
    if (offset + count > length)
      throw fault(`is cut short: ${count} bytes are announced, ${Math.max(0, length - offset)} are left`, offset)
  }
  return {
    length,
    read(offset, count) {
      requireInside(offset, count)
      const target = new Uint8Array(count)
      fill(offset, target)
      return target
    },
    part(offset, count, name) {
      requireInside(offset, count)
      return range(file, `${label}${name}, `, count, (inner, target) => fill(offset + inner, target))
    },
    fault,
  }
}
