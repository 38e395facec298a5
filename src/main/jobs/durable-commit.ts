/** Flushes what a stage has just committed, because the stage itself may not (see `stage-preload.ts`). */
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { runFiles } from '../../shared/stage.ts'

/** The resume state, the journal, and the folder that holds their names. Files not there yet are passed over. */
export function flushCommit(runDir: string): void {
  for (const name of [runFiles.state, runFiles.journal]) flush(join(runDir, name))
  if (process.platform !== 'win32') flush(runDir)
}

function flush(path: string): void {
  let descriptor: number
  try {
    // Windows flushes only handles that may write.
    descriptor = openSync(path, process.platform === 'win32' ? 'r+' : 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
