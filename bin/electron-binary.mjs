// Path of Electron's program, or undefined where it was never downloaded. The electron package downloads it when it is
// imported, so whether it is there is read from its files.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @param {string} folder of the electron package
 * @returns {string | undefined}
 */
export function electronBinary(folder) {
  const note = join(folder, 'path.txt')
  if (!existsSync(note)) return undefined
  const binary = join(folder, 'dist', readFileSync(note, 'utf8').trim())
  return existsSync(binary) ? binary : undefined
}
