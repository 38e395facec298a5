/** What a run learned, copied to the folder of the user's choice, whole or not at all. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runFiles } from '../../shared/stage.ts'
import { writeFolderAtomically } from '../engine/checkpoint/atomic-write.ts'
import { copyFolder } from '../engine/checkpoint/copy-folder.ts'

/** The adapter's files lie in `out` itself; a critic, where there is one, in a folder beside them. */
export function handOver(out: string, runDir: string): void {
  const place = resolve(out)
  const critic = join(runDir, runFiles.critic)
  writeFolderAtomically(place, (folder) => {
    copyFolder(join(runDir, runFiles.adapter), folder, place)
    if (existsSync(critic)) copyFolder(critic, join(folder, runFiles.critic), join(place, runFiles.critic))
  })
}
