/** Faults of the disk under a file that is being written: nobody's input, so the work fails, and the file is named. */
import { errorCode } from './input-file.ts'

const sentences: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reports an input/output error',
  EFBIG: 'the file is larger than this disk takes',
}

export class DiskFault extends Error {
  override readonly name = 'DiskFault'
  readonly code: string
  readonly path: string

  /** @param path the file by its final name, as the user wrote it */
  constructor(path: string, code: string, sentence: string, cause: unknown) {
    super(`${path}: ${sentence}; nothing was written under this name`, { cause })
    this.code = code
    this.path = path
  }
}

/** @returns the fault as one sentence that names `path`; undefined where the error is none of the disk's */
export function diskFault(path: string, error: unknown): DiskFault | undefined {
  if (error instanceof DiskFault) return error
  const code = errorCode(error) ?? ''
  const sentence = sentences[code]
  return sentence === undefined ? undefined : new DiskFault(path, code, sentence, error)
}

/** Does the work that writes `path`. */
export function writingFile<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw diskFault(path, error) ?? error
  }
}
