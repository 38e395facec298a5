/** Turns what the file system and SQLite say about an unusable home into one sentence for its owner. */
import { BadInput } from '../../shared/bad-input.ts'

/** Faults of the folder itself, which only its opening can meet. */
const placeSentences: Readonly<Record<string, string>> = {
  ENOTDIR: 'is not a folder; choose another with --home',
  EEXIST: 'is not a folder; choose another with --home',
  ENAMETOOLONG: 'has too long a name',
  ELOOP: 'is a symbolic link that leads to itself',
  ENOENT: 'cannot be created here; choose another folder with --home',
}

export const fullDisk = 'is on a disk that is full; free some space and run the same command again'

const sentences: Readonly<Record<string, string>> = {
  EACCES: 'cannot be written to: permission denied; choose another folder with --home',
  EPERM: 'cannot be written to: operation not permitted; choose another folder with --home',
  EROFS: 'is on a read-only file system; choose another folder with --home',
  ENOSPC: fullDisk,
  EDQUOT: 'is over its disk quota; free some space and run the same command again',
  SQLITE_FULL: fullDisk,
  SQLITE_READONLY: 'is read-only; choose another folder with --home',
  SQLITE_CANTOPEN: 'cannot be opened for writing; choose another folder with --home',
  SQLITE_PERM: 'cannot be written to: permission denied; choose another folder with --home',
  SQLITE_BUSY: 'is being written to by another process; try again when it is done',
  SQLITE_LOCKED: 'is being written to by another process; try again when it is done',
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
}

/** SQLite's extended codes (`SQLITE_READONLY_DIRECTORY`) say the same as their first two words here. */
function primary(code: string): string {
  return code.startsWith('SQLITE_') ? code.split('_').slice(0, 2).join('_') : code
}

export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error))

/** A `BadInput` where opening `home` showed it to be unusable, else the error as it was. */
export function openingFault(home: string, error: unknown): unknown {
  const sentence = placeSentences[codeOf(error)]
  return sentence === undefined ? homeFault(home, error) : new BadInput(home, sentence)
}

/** A `BadInput` where work in `home` met a full, read-only or busy place of it, else the error as it was. */
export function homeFault(home: string, error: unknown): unknown {
  if (error instanceof BadInput) return error
  const path = typeof error === 'object' && error !== null && 'path' in error ? String(error.path) : home
  const sentence = path.startsWith(home) ? sentences[primary(codeOf(error))] : undefined
  return sentence === undefined ? error : new BadInput(home, sentence)
}

/** Does the work; what the file system or SQLite say against the home comes out as `BadInput`. */
export async function withHomeFaults<T>(home: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw homeFault(home, error)
  }
}
