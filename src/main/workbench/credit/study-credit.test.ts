import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CreditAuditLine } from '../../../shared/credit-audit.ts'
import { insertCreditAudit } from '../../store/credit-audits.ts'
import { findRun } from '../../store/runs.ts'
import { openWorkbench, type Workbench } from '../workbench.ts'
import { recordedRunId, recordRun, rollout } from './recorded-run.ts'
import { studyCredit } from './study-credit.ts'

let home: string
let bench: Workbench
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'credit-'))
  bench = openWorkbench({ home })
  recordRun(bench, [
    [rollout({ rollout_id: 'a', prompt_id: 'p' })],
    [rollout({ rollout_id: 'b', prompt_id: 'p' }), rollout({ rollout_id: 'c', prompt_id: 'q' })],
  ])
})
afterEach(() => {
  bench.close()
  rmSync(home, { recursive: true, force: true })
})

const line = (update: number, iteration: number): CreditAuditLine => ({
  kind: 'credit-audit',
  iteration,
  update,
  epoch_within_rollout: 1,
  policy_sha256: 'a'.repeat(64),
  dtype: 'float32',
  reading: {
    trained_positions: 2,
    backward_passes: 2,
    forward_mode_passes: 1,
    full_norm: 0.5,
    projected_share_sum: 1,
    conservation_error: 3e-8,
    cancellation: 1.5,
    token_conservation_error: 1e-8,
    rollouts: [{ rollout_id: 'b', positions: 2, projected_share: 1, norm_share: 1, token_shares: [1.25, -0.25] }],
  },
})

it('there is none of a study whose gradients nobody audited', () => {
  expect(studyCredit(bench, findRun(bench.store.db, recordedRunId)!)).toBe(undefined)
})

it('has the readings without their tokens, and every estimator on the rollouts of the last of them', () => {
  insertCreditAudit(bench.store.db, recordedRunId, line(1, 1))
  insertCreditAudit(bench.store.db, recordedRunId, line(3, 2))
  const credit = studyCredit(bench, findRun(bench.store.db, recordedRunId)!)
  expect(credit?.readings.map(({ update }) => update)).toEqual([1, 3])
  expect(credit?.readings[1]?.reading?.rollouts).toEqual([
    { rollout_id: 'b', positions: 2, projected_share: 1, norm_share: 1 },
  ])
  const { iteration, rollouts, comparison, refused } = credit!.methods!
  expect([iteration, rollouts, comparison?.tokens]).toEqual([2, 2, 4])
  expect(comparison?.methods.map(({ label }) => label)).toContain('gae')
  expect(comparison).not.toHaveProperty('advantages')
  expect(refused.map(({ label }) => label)).toContain('factor')
})
