/**
 * Files that come with the program: in `resources` beside it in a checkout, and beside its archive in a package. Looked for
 * upwards, since bundling puts this file into a chunk of any depth.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** @returns the path of a file or folder below `resources`; undefined where the installation lacks it */
export function findResource(...parts: readonly string[]): string | undefined {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const path = join(folder, 'resources', ...parts)
    if (existsSync(path)) return path
    if (dirname(folder) === folder) return undefined
  }
}

/** As `findResource`. @throws where the installation lacks it */
export function programResource(...parts: readonly string[]): string {
  const path = findResource(...parts)
  if (path === undefined) throw new Error(`The installation is incomplete: ${join('resources', ...parts)} is missing`)
  return path
}
