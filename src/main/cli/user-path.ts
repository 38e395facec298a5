/** Paths that the user named for writing: refused in plain words before any work, or when the work meets the fault. */
import { closeSync, mkdirSync, openSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { diskFault } from '../engine/checkpoint/disk-fault.ts'
import { errorCode } from '../engine/checkpoint/input-file.ts'
import { outputFile } from '../engine/checkpoint/output-file.ts'

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'cannot be made here',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'is a folder, a file is needed',
  EEXIST: 'a file is in the way',
  ENOTEMPTY: 'the folder is not empty',
  EACCES: 'no permission to write here',
  EPERM: 'no permission to write here',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'the path is too long',
}

/** Does the work that writes `path`: faults of the place are the user's to mend, faults of the disk fail the work; both name it. */
export async function writingTo<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asBadInput(path, error)
  }
}

function asBadInput(path: string, error: unknown): unknown {
  const code = errorCode(error)
  const problem = code === undefined ? undefined : problems[code]
  return problem === undefined ? (diskFault(path, error) ?? error) : new BadInput(path, problem)
}

/**
 * Makes sure that a folder can stand at `path`, leaving nothing behind. A recursive mkdir must not find out: Node's
 * never returns where a file system answers ENOENT to a mkdir whose parent exists, as /proc does.
 */
export function requireCreatable(path: string): void {
  let missing: string | undefined
  let existing = resolve(path)
  try {
    while (!exists(existing)) {
      missing = existing
      if (dirname(existing) === existing) break
      existing = dirname(existing)
    }
    if (!statSync(existing).isDirectory()) throw new BadInput(existing, 'is a file, not a folder')
    if (missing !== undefined) {
      mkdirSync(missing)
      rmdirSync(missing)
    }
  } catch (error) {
    throw asBadInput(path, error)
  }
}

/**
 * Makes sure that a file can be written at `path`, leaving nothing behind: its folder is there and takes a file, and what
 * stands at `path`, if anything, is a file. For commands that compute first and write last.
 */
export function requireWritableFile(path: string): void {
  const place = outputFile(path)
  const folder = dirname(place)
  try {
    if (!exists(folder)) throw new BadInput(path, 'the folder to write to does not exist')
    if (!statSync(folder).isDirectory()) throw new BadInput(path, 'a part of the path is a file, not a folder')
    const trial = join(folder, `.${basename(place)}.${process.pid}.trial`)
    closeSync(openSync(trial, 'wx'))
    rmSync(trial)
  } catch (error) {
    throw asBadInput(path, error)
  }
}

/** Also refuses a folder that holds something. */
export function requireNewFolder(path: string): void {
  requireCreatable(path)
  if (exists(path) && readdirSync(path).length > 0) {
    throw new BadInput(path, 'the folder exists and is not empty; name another one')
  }
}

function exists(path: string): boolean {
  try {
    statSync(path)
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}
