/** Turns what the file system and SQLite say about an unusable home into one sentence for its owner. */
import { BadInput } from '../../shared/bad-input.ts'

const sentences: Readonly<Record<string, string>> = {
  EACCES: 'cannot be written to: permission denied; choose another folder with --home',
  EPERM: 'cannot be written to: operation not permitted; choose another folder with --home',
  EROFS: 'is on a read-only file system; choose another folder with --home',
  ENOSPC: 'is on a disk that is full; free some space and run the same command again',
  EDQUOT: 'is over its disk quota; free some space and run the same command again',
  ENOTDIR: 'is not a folder; choose another with --home',
  EEXIST: 'is not a folder; choose another with --home',
  ENAMETOOLONG: 'has too long a name',
  ELOOP: 'is a symbolic link that leads to itself',
  ENOENT: 'cannot be created here; choose another folder with --home',
  SQLITE_FULL: 'is on a disk that is full; free some space and run the same command again',
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

/** A `BadInput` where the home itself is at fault, else the error as it was. */
export function homeFault(home: string, error: unknown): unknown {
  if (error instanceof BadInput) return error
  const sentence = sentences[primary(codeOf(error))]
  return sentence === undefined ? error : new BadInput(home, sentence)
}
