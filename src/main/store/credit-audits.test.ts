import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CreditAuditLine } from '../../shared/credit-audit.ts'
import { newRunId } from '../../shared/ids.ts'
import { JournalIngest } from '../jobs/journal-ingest.ts'
import { auditedIterationsOf, creditAuditsOf } from './credit-audits.ts'
import { openStore, type Store } from './open-store.ts'
import { insertRun } from './runs.ts'

const runId = newRunId(new Date('2026-11-29T16:04:00Z'), () => 0.1, 'ppo')
let dir: string
let store: Store
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'credit-audits-'))
  store = openStore(join(dir, 'home'))
  insertRun(store.db, {
    runId,
    studyId: null,
    stage: 'ppo',
    purpose: 'main',
    status: 'queued',
    preset: 'own',
    config: {},
    device: 'cpu',
    deviceReason: null,
    threads: 1,
    baseSha256: null,
    dataSha256: {},
    codeVersion: '0',
    parents: [],
    updatesDone: 0,
    updatesTotal: 0,
    journalBytes: 0,
    journalSha256: null,
    summary: null,
    seconds: {},
    owner: null,
    stageProcess: null,
    error: null,
    errorKind: null,
    createdAt: '2026-11-29T16:04:00.000Z',
    startedAt: null,
    finishedAt: null,
  })
})
afterEach(() => {
  store.close()
  rmSync(dir, { recursive: true, force: true })
})

const line = (update: number, iteration: number, reading = true): CreditAuditLine => ({
  kind: 'credit-audit',
  iteration,
  update,
  epoch_within_rollout: 1,
  policy_sha256: 'p',
  dtype: 'float32',
  reading: reading
    ? {
        trained_positions: 2,
        backward_passes: 2,
        forward_mode_passes: 1,
        full_norm: 0.5,
        projected_share_sum: 1,
        conservation_error: 3e-8,
        cancellation: 1.5,
        token_conservation_error: 1e-8,
        rollouts: [{ rollout_id: 'r', positions: 2, projected_share: 1, norm_share: 1, token_shares: [1.25, -0.25] }],
      }
    : null,
})
const journal = (lines: readonly CreditAuditLine[]) => {
  const text = lines.map((one) => `${JSON.stringify(one)}\n`).join('')
  writeFileSync(join(dir, 'journal.jsonl'), text)
  return Buffer.byteLength(text)
}

it('keeps what the journal says, in order of the updates', () => {
  const lines = [line(2, 1), line(4, 2, false), line(3, 2)]
  new JournalIngest(store.db, runId, dir).commit(journal(lines))
  expect(creditAuditsOf(store.db, runId)).toEqual([lines[0], lines[2], lines[1]])
  expect(auditedIterationsOf(store.db, runId)).toEqual([1, 2])
})

it('forgets what a cut journal no longer says', () => {
  new JournalIngest(store.db, runId, dir).commit(journal([line(2, 1), line(4, 2)]))
  new JournalIngest(store.db, runId, dir).commit(journal([line(2, 1)]))
  expect(creditAuditsOf(store.db, runId)).toEqual([line(2, 1)])
})

it('refuses a line that is none', () => {
  const wrong = { ...line(2, 1), dtype: 'float16' } as unknown as CreditAuditLine
  const bytes = journal([wrong])
  expect(() => new JournalIngest(store.db, runId, dir).commit(bytes)).toThrow(/dtype/)
  expect(creditAuditsOf(store.db, runId)).toEqual([])
})
