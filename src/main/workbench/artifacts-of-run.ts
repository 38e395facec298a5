/** Records the files of a finished run, and checks them again before something is built on them. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import type { RunId } from '../../shared/ids.ts'
import { runFiles } from '../../shared/stage.ts'
import type { ArtifactRecord } from '../../shared/study-document.ts'
import { artifactsOf, forgetArtifactsOfRun, recordArtifacts } from '../store/artifacts.ts'
import type { Db } from '../store/open-store.ts'
import { fileSha256, filesBelow } from './files-on-disk.ts'

/** Partial files that a killed process left behind are nobody's artifacts. */
const leftover = /(^|\/)\.[^/]*\.tmp$|\.partial-\d+$/

export function artifactAt(dir: string, path: string, kind: string, runId: RunId | null): ArtifactRecord {
  const file = join(dir, path)
  return { path, kind, sha256: fileSha256(file), bytes: statSync(file).size, run_id: runId }
}

/**
 * @param ownerDir  the folder that recorded paths are relative to (the study's, or the run's own)
 * @param prefix    the run's folder inside it, `''` or `runs/<id>`
 */
export function recordRunArtifacts(db: Db, ownerId: string, ownerDir: string, prefix: string, runId: RunId): void {
  const paths = filesBelow(join(ownerDir, prefix)).filter((path) => !leftover.test(path))
  const records = paths.map((path) =>
    artifactAt(ownerDir, prefix === '' ? path : `${prefix}/${path}`, kindOf(path), runId),
  )
  db.transaction(() => {
    forgetArtifactsOfRun(db, runId)
    recordArtifacts(db, ownerId, records)
  })()
}

function kindOf(path: string): string {
  if (path.startsWith('inputs/')) return 'input'
  if (path.startsWith(`${runFiles.adapter}/`)) return 'adapter'
  if (path.startsWith(`${runFiles.critic}/`)) return 'critic'
  const kinds: Record<string, string> = {
    [runFiles.state]: 'resume-state',
    [runFiles.journal]: 'journal',
    [runFiles.timings]: 'timings',
    [runFiles.log]: 'log',
    [runFiles.summary]: 'summary',
    [runFiles.generations]: 'generations',
    [runFiles.scores]: 'scores',
    [runFiles.job]: 'job',
  }
  return kinds[path] ?? 'other'
}

/** Throws `BadInput` naming the first file of these runs that is missing or changed, with both hashes. */
export function requireUnchanged(db: Db, ownerId: string, ownerDir: string, runs: readonly RunId[]): void {
  for (const { path, sha256, run_id } of artifactsOf(db, ownerId)) {
    if (run_id === null || !runs.includes(run_id as RunId)) continue
    const file = join(ownerDir, path)
    const found = existsSync(file) ? fileSha256(file) : 'none, it is missing'
    if (found !== sha256) throw new BadInput(file, `changed: its SHA-256 is ${found}, recorded is ${sha256}`)
  }
}
