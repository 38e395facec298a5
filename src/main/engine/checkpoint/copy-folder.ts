/** Copies a folder file by file: a tree that is copied at once says only that something failed, and not always what. */
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { writingFile } from './disk-fault.ts'

/**
 * @param name the folder that `to` will be once it is in its place, for messages
 * @throws DiskFault naming the file, for a disk that is full or broken
 */
export function copyFolder(from: string, to: string, name: string): void {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue
    const source = join(entry.parentPath, entry.name)
    const path = relative(from, source)
    writingFile(join(name, path), () => {
      mkdirSync(dirname(join(to, path)), { recursive: true })
      copyFileSync(source, join(to, path))
    })
  }
}
