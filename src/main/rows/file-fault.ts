/** Turns the operating system's refusals about a path the user named into BadInput with plain words. */
import { BadInput } from '../../shared/bad-input.ts'

const words: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not a folder, or lies under a file',
  EISDIR: 'is a folder, not a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'lies on a read-only file system',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'links to itself',
  EEXIST: 'already exists',
}

export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** BadInput for faults of the path; anything else (a full disk, a broken drive) is a failure of the work and stays. */
export function fileFault(path: string, error: unknown): unknown {
  const code = errorCode(error)
  const problem = code === undefined ? undefined : words[code]
  return problem === undefined ? error : new BadInput(path, problem)
}
