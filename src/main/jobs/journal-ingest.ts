/**
 * Brings a run's journal into the store as the stage commits it. The store remembers how much of the journal it
 * holds and that part's hash; in each session the first commit compares the two, and a store that holds anything
 * else than the journal's own beginning is emptied and read in anew. So they agree however a session ended.
 */
import { createHash, type Hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { RunId } from '../../shared/ids.ts'
import { runFiles } from '../../shared/stage.ts'
import { deleteJournalRows, insertJournalLine } from '../store/journal-rows.ts'
import type { Db } from '../store/open-store.ts'
import { findRun, updateRun } from '../store/runs.ts'
import { hashRange, parseJournal, readRange } from './journal-lines.ts'

export class JournalIngest {
  readonly #db: Db
  readonly #runId: RunId
  readonly #file: string
  /** Over the part of the journal that the store holds; null until this session has compared the two. */
  #held: { readonly bytes: number; readonly hash: Hash } | null = null

  constructor(db: Db, runId: RunId, runDir: string) {
    this.#db = db
    this.#runId = runId
    this.#file = join(runDir, runFiles.journal)
  }

  /**
   * Takes the journal up to `journalBytes` in, in one transaction.
   * Throws when the journal is shorter, has a malformed line, or holds a number that is not finite.
   */
  commit(journalBytes: number): void {
    const held = this.#agreedPart(journalBytes)
    const bytes = readRange(this.#file, held.bytes, journalBytes)
    const lines = parseJournal(bytes, runFiles.journal)
    const hash = held.hash.copy().update(bytes)
    this.#db
      .transaction(() => {
        if (held.bytes === 0) deleteJournalRows(this.#db, this.#runId)
        for (const line of lines) insertJournalLine(this.#db, this.#runId, line)
        updateRun(this.#db, this.#runId, { journalBytes, journalSha256: hash.copy().digest('hex') })
      })
      .immediate()
    this.#held = { bytes: journalBytes, hash }
  }

  /** Takes in all there is; for the end of a stage. A run without a journal has none to take in. */
  commitAll(): void {
    const size = statSync(this.#file, { throwIfNoEntry: false })?.size
    if (size !== undefined) this.commit(size)
  }

  /** The part of the journal that the store rightly holds: none where the two differ. */
  #agreedPart(journalBytes: number): { readonly bytes: number; readonly hash: Hash } {
    const none = { bytes: 0, hash: createHash('sha256') }
    if (this.#held !== null) return this.#held.bytes <= journalBytes ? this.#held : none
    const run = findRun(this.#db, this.#runId)
    if (run === null) throw new Error(`the store holds no run ${this.#runId}`)
    if (run.journalBytes === 0 || run.journalBytes > journalBytes) return none
    const hash = hashRange(this.#file, run.journalBytes)
    return hash.copy().digest('hex') === run.journalSha256 ? { bytes: run.journalBytes, hash } : none
  }
}
