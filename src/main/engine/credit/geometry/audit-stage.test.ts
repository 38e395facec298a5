/** The audit in a run folder: one whole result or none, progress by pass, and a stop between two of them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AuditSettings, CreditAudit } from '../../../../shared/credit-audit.ts'
import { type CreditAuditJob, runFiles, type StageEvent } from '../../../../shared/stage.ts'
import { StageRun } from '../../learn/stage-run.ts'
import { runCreditAudit } from './audit-stage.ts'

let runDir: string
beforeEach(() => {
  runDir = mkdtempSync(join(tmpdir(), 'recompense-audit-stage-'))
})
afterEach(() => rmSync(runDir, { recursive: true, force: true }))

const settings: AuditSettings = {
  partition: 'rollout',
  dtype: 'float32',
  reduction: 'response-mean',
  advantages: { method: 'monte-carlo', settings: { baseline: 'rloo' } },
  step: { optimizer: 'sgd', learning_rate: 0.1 },
}
const rows = [0, 1, 2].map((k) => ({
  id: `r${k}`,
  group: 'g',
  reward: k,
  turns: [
    { role: 'user', token_ids: [5, 6] },
    { role: 'assistant', token_ids: [20 + k, 30] },
  ],
}))

function job(): CreditAuditJob {
  const trajectories = join(runDir, 'trajectories.jsonl')
  writeFileSync(trajectories, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const base = new URL('../../../../../test/golden/checkpoints/base_f32', import.meta.url).pathname
  return { stage: 'credit-audit', runId: 'run', runDir, base, trajectories, device: 'cpu', threads: 1, settings }
}

test('trajectories in, one JSON document out, the same each time', async () => {
  const events: StageEvent[] = []
  const summary = await runCreditAudit(job(), new StageRun((event) => events.push(event)))
  expect(summary).toMatchObject({ stage: 'credit-audit', status: 'finished', updates: 0 })
  expect(events[0]).toMatchObject({ type: 'ready', device: 'cpu' })
  expect(events.slice(1)).toEqual([0, 1, 2, 3, 4].map((done) => ({ type: 'progress', phase: 'audit', done, total: 4 })))
  const text = readFileSync(join(runDir, runFiles.audit), 'utf8')
  const audit = JSON.parse(text) as CreditAudit
  expect(audit).toMatchObject({
    partition: 'rollout',
    reduction: 'response-mean',
    adapter: 'fresh',
    advantages: expect.stringMatching(/monte-carlo, baseline rloo/),
    step_conservation: { optimizer: 'sgd' },
  })
  expect(audit.parts.map(({ name }) => name)).toEqual(['r0', 'r1', 'r2'])
  expect(audit.conservation_error).toBeLessThan(1e-6)
  await runCreditAudit(job(), new StageRun(() => {}))
  expect(readFileSync(join(runDir, runFiles.audit), 'utf8')).toBe(text)
})

test('a stop leaves nothing behind, and is no failure', async () => {
  const run = new StageRun((event) => {
    if (event.type === 'progress' && event.done === 2) run.stop()
  })
  expect(await runCreditAudit(job(), run)).toMatchObject({ status: 'interrupted' })
  expect(existsSync(join(runDir, runFiles.audit))).toBe(false)
})

test('rows that cannot be audited are named', async () => {
  const asked = job()
  writeFileSync(asked.trajectories, `${JSON.stringify({ ...rows[0], turns: rows[0]!.turns.slice(0, 1) })}\n`)
  await expect(runCreditAudit(asked, new StageRun(() => {}))).rejects.toThrow(/row r0\)/)
})
