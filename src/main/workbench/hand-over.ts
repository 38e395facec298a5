/** What a run learned, copied to the folder of the user's choice: whole or not at all, each file named where one fails. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { runFiles } from '../../shared/stage.ts'
import { writeFolderAtomically } from '../engine/checkpoint/atomic-write.ts'
import { writingFile } from '../engine/checkpoint/disk-fault.ts'
import { filesBelow } from './files-on-disk.ts'

/** The adapter's files lie in `out` itself; a critic, where there is one, in a folder beside them. */
export function handOver(out: string, runDir: string): void {
  writeFolderAtomically(resolve(out), (folder) => {
    copyFiles(join(runDir, runFiles.adapter), folder, resolve(out))
    copyFiles(join(runDir, runFiles.critic), join(folder, runFiles.critic), join(resolve(out), runFiles.critic))
  })
}

/**
 * File by file: a tree that is copied at once says only that something failed.
 * @param name the folder that `to` will be, for messages
 */
function copyFiles(from: string, to: string, name: string): void {
  for (const path of filesBelow(from)) {
    writingFile(join(name, path), () => {
      mkdirSync(dirname(join(to, path)), { recursive: true })
      copyFileSync(join(from, path), join(to, path))
    })
  }
}
