/** Makes a folder and those above it, wherever a user's path may lead. */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { errorCode } from './input-file.ts'

/**
 * As a recursive `mkdirSync`, which never returns where a file system answers ENOENT to a mkdir whose parent exists, as
 * /proc does: a window that asked for it would wait for ever. Throws what the file system says.
 */
export function makeFolder(path: string): void {
  const folder = resolve(path)
  try {
    mkdirSync(folder)
  } catch (error) {
    if (errorCode(error) === 'EEXIST' && statSync(folder).isDirectory()) return
    const parent = dirname(folder)
    if (errorCode(error) !== 'ENOENT' || parent === folder || existsSync(parent)) throw error
    makeFolder(parent)
    makeLast(folder)
  }
}

/** Another process may have been first. */
function makeLast(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !statSync(folder).isDirectory()) throw error
  }
}
