/** What was running when its process died is marked interrupted as soon as anyone opens the store again. */
import { ownerIsAtWork } from './compute-lock.ts'
import type { Db } from './open-store.ts'

export function markOrphansInterrupted(db: Db): void {
  // Most openings find nothing to do, and then write nothing: a reader must not need room on the disk.
  const running = db.prepare(
    `SELECT 1 FROM studies WHERE status = 'running' UNION SELECT 1 FROM runs WHERE status = 'running'`,
  )
  if (running.get() === undefined) return
  const isGone = (owner: string | null) => owner === null || !ownerIsAtWork(db, owner)
  db.transaction(() => {
    const studies = db.prepare(`SELECT study_id AS id, owner FROM studies WHERE status = 'running'`).all() as Owned[]
    for (const { id, owner } of studies) {
      if (!isGone(owner)) continue
      db.prepare(`UPDATE studies SET status = 'interrupted', owner = NULL WHERE study_id = ?`).run(id)
      db.prepare(`UPDATE stages SET status = 'interrupted' WHERE study_id = ? AND status = 'running'`).run(id)
    }
    const runs = db.prepare(`SELECT run_id AS id, owner FROM runs WHERE status = 'running'`).all() as Owned[]
    for (const { id, owner } of runs) {
      if (isGone(owner)) {
        db.prepare(`UPDATE runs SET status = 'interrupted', owner = NULL WHERE run_id = ?`).run(id)
      }
    }
  }).immediate()
}

interface Owned {
  readonly id: string
  readonly owner: string | null
}
