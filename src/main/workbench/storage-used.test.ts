import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunId } from '../../shared/ids.ts'
import { recordArtifacts } from '../store/artifacts.ts'
import { openStore } from '../store/open-store.ts'
import { doctorChecks } from './doctor.ts'
import { recordedRunBytes, storageUsed } from './storage-used.ts'

function homeWith(files: Record<string, number>): string {
  const home = mkdtempSync(join(tmpdir(), 'recompense-storage-'))
  write(home, files)
  return home
}

function write(home: string, files: Record<string, number>): void {
  for (const [path, size] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), 'x'.repeat(size))
  }
}

const files = {
  'studies/study-a/report/report.html': 1000,
  'studies/study-a/runs/run-1/journal.jsonl': 200,
  'studies/study-a/runs/run-2/state.bin': 30,
  'runs/run-3/summary.json': 4,
  'trajectories/ab/rows.jsonl': 60,
  'cache/base.bin': 5000,
}

describe('the storage a home takes', () => {
  it('is counted file by file where nothing is recorded', () => {
    expect(storageUsed(homeWith(files), new Map())).toEqual({
      studies: 1230,
      runs: 4,
      trajectories: 60,
      cache: 5000,
      store: 0,
      complete: true,
    })
  })

  it('takes recorded runs at their recorded sizes without entering them', () => {
    const recorded = new Map([
      ['run-1', 777],
      ['run-3', 9],
    ])
    const used = storageUsed(homeWith(files), recorded)
    expect(used).toMatchObject({ studies: 1000 + 777 + 30, runs: 9 })
  })

  it('says that it stopped counting', () => {
    expect(storageUsed(homeWith(files), new Map(), 3).complete).toBe(false)
  })

  it('is nothing for a home that is not there, or is a file', () => {
    const nothing = { studies: 0, runs: 0, trajectories: 0, cache: 0, store: 0, complete: true }
    const home = homeWith({ file: 1 })
    expect(storageUsed(join(home, 'missing'), new Map())).toEqual(nothing)
    expect(storageUsed(join(home, 'file'), new Map())).toEqual(nothing)
  })

  it('adds up what the store recorded of each run, and stays quick with 500 of them', () => {
    const home = homeWith({})
    const store = openStore(home)
    try {
      store.db.pragma('foreign_keys = OFF')
      store.db.transaction(() => {
        for (let run = 0; run < 500; run++) {
          const run_id = `run-${run}` as RunId
          mkdirSync(join(home, 'runs', run_id), { recursive: true })
          const artifact = { kind: 'other', sha256: '0', bytes: 50, run_id }
          recordArtifacts(store.db, run_id, [
            { path: 'state', ...artifact },
            { path: 'journal', ...artifact },
          ])
        }
      })()
      const from = performance.now()
      expect(storageUsed(home, recordedRunBytes(store.db), 10)).toMatchObject({ runs: 50_000, complete: true })
      expect(performance.now() - from).toBeLessThan(1000)
    } finally {
      store.close()
    }
  })

  it('is one of the doctor’s checks', async () => {
    const home = homeWith({})
    openStore(home).close()
    write(home, files)
    const { checks } = await doctorChecks(home, '0.1.0')
    expect(checks.find(({ name }) => name === 'storage')).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/ used \(studies 1\.2 kB, runs 4 B, trajectories 60 B, cache 5\.0 kB, store \d/),
    })
  })
})
