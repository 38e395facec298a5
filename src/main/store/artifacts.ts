/** Table `artifacts`: every file a study or run left behind, by path and SHA-256. */
import type { RunId } from '../../shared/ids.ts'
import type { ArtifactRecord } from '../../shared/study-document.ts'
import type { Db } from './open-store.ts'

/** Records files of one owner (a study, or a run without one); a path recorded before is replaced. */
export function recordArtifacts(db: Db, ownerId: string, artifacts: readonly ArtifactRecord[]): void {
  const insert = db.prepare(
    'INSERT OR REPLACE INTO artifacts (owner_id, path, kind, sha256, bytes, run_id) VALUES (?, ?, ?, ?, ?, ?)',
  )
  db.transaction(() => {
    for (const { path, kind, sha256, bytes, run_id } of artifacts)
      insert.run(ownerId, path, kind, sha256, bytes, run_id)
  })()
}

export function artifactsOf(db: Db, ownerId: string): ArtifactRecord[] {
  return db
    .prepare('SELECT path, kind, sha256, bytes, run_id FROM artifacts WHERE owner_id = ? ORDER BY path')
    .all(ownerId) as ArtifactRecord[]
}

/** Forgets the files of a run that is about to write them anew. */
export function forgetArtifactsOfRun(db: Db, runId: RunId): void {
  db.prepare('DELETE FROM artifacts WHERE run_id = ?').run(runId)
}
