/**
 * One compute job at a time per home. The lock is a row of the store, so taking it over from a dead process is one
 * transaction and two rescuers cannot both win.
 */
import { BadInput } from '../../shared/bad-input.ts'
import type { Db, Store } from './open-store.ts'
import { decodeOwner, encodeOwner, isAlive, thisProcess } from './process-owner.ts'

/** A holder on another machine (a home on a shared volume) is judged by its last sign of life. */
const silentAfterMs = 60_000

/** Stores whose lock this process really holds: a full disk can keep a released lock's row from being deleted. */
const heldHere = new Set<string>()

interface LockRow {
  readonly owner: string
  readonly what: string
  readonly taken_at: string
  readonly heartbeat_at: string
}

export interface ComputeLock {
  /** Call every few seconds while the job runs. */
  heartbeat(): void
  release(): void
}

/** Throws `BadInput` naming what runs and its process when another live process holds the lock. */
export function takeComputeLock(store: Store, what: string, now: () => Date = () => new Date()): ComputeLock {
  const { db } = store
  const owner = encodeOwner(thisProcess())
  db.transaction(() => {
    const held = lockRow(db)
    if (held !== undefined && lockIsHeld(db, held, now())) {
      const { pid } = decodeOwner(held.owner)
      throw new BadInput(
        store.home,
        `${held.what} is running here already (process ${pid}); wait for it or stop it first`,
      )
    }
    const time = now().toISOString()
    db.prepare('DELETE FROM compute_lock').run()
    db.prepare('INSERT INTO compute_lock VALUES (1, ?, ?, ?, ?)').run(owner, what, time, time)
  }).immediate()
  heldHere.add(db.name)
  return {
    heartbeat: () => {
      db.prepare('UPDATE compute_lock SET heartbeat_at = ? WHERE owner = ?').run(now().toISOString(), owner)
    },
    release: () => {
      heldHere.delete(db.name)
      try {
        db.prepare('DELETE FROM compute_lock WHERE owner = ?').run(owner)
      } catch {
        // On a full disk the row stays; it counts for nothing once this process no longer claims it.
      }
    },
  }
}

/** What runs in this home now, or null. */
export function runningJob(db: Db, now: Date = new Date()): { readonly what: string; readonly pid: number } | null {
  const held = lockRow(db)
  if (held === undefined || !lockIsHeld(db, held, now)) return null
  return { what: held.what, pid: decodeOwner(held.owner).pid }
}

/** Whether the owner of a running study or run still works on it. */
export function ownerIsAtWork(db: Db, owner: string, now: Date = new Date()): boolean {
  if (owner === encodeOwner(thisProcess())) return heldHere.has(db.name)
  if (isAlive(decodeOwner(owner))) return true
  const held = lockRow(db)
  return held?.owner === owner && lockIsHeld(db, held, now)
}

function lockRow(db: Db): LockRow | undefined {
  return db.prepare('SELECT owner, what, taken_at, heartbeat_at FROM compute_lock').get() as LockRow | undefined
}

function lockIsHeld(db: Db, row: LockRow, now: Date): boolean {
  if (row.owner === encodeOwner(thisProcess())) return heldHere.has(db.name)
  const owner = decodeOwner(row.owner)
  if (owner.host === thisProcess().host) return isAlive(owner)
  return now.getTime() - Date.parse(row.heartbeat_at) < silentAfterMs
}
