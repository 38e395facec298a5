import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'
import type { AuditSettings } from '../../../shared/credit-audit.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'
import { runFiles } from '../../../shared/stage.ts'
import { findRun } from '../../store/runs.ts'
import { type FakeBench, fakeBench } from '../fake-bench.ts'
import type { Workbench } from '../workbench.ts'
import { keptConcentration } from './concentration-of-results.ts'
import { type CreditJob, runCreditJob } from './credit-job.ts'
import { creditResult, creditResults } from './credit-results.ts'
import { playDesk } from './desk-job.ts'
import { deskPlays, deskSummary } from './desk-views.ts'
import { forgetTrajectories } from './kept-trajectories.ts'
import { recordedRunId, recordRun, rollout } from './recorded-run.ts'
import { studyCredit } from './study-credit.ts'

let fake: FakeBench
let bench: Workbench
beforeEach(() => {
  fake = fakeBench()
  bench = fake.open()
  recordRun(bench, [
    [rollout({ rollout_id: 'a', prompt_id: 'p' }), rollout({ rollout_id: 'b', prompt_id: 'q' })],
    [rollout({ rollout_id: 'c', prompt_id: 'p' })],
  ])
})
afterEach(() => {
  bench.close()
  rmSync(fake.root, { recursive: true, force: true })
})

const settings: AuditSettings = {
  partition: 'rollout',
  dtype: 'float64',
  reduction: 'sum',
  advantages: { method: 'gae', settings: {} },
}
const source: CreditSource = { kind: 'run', run_id: recordedRunId, iterations: [1, 1] }
const audit = (changes: Partial<AuditSettings> = {}): CreditJob => ({
  stage: 'credit-audit',
  source,
  settings: { ...settings, ...changes },
  model: fake.model,
  device: 'cpu',
  threads: 1,
})

describe('a question that needs a model', () => {
  it('is a run that hangs on the run it asks about, with one document that is read back', async () => {
    const runId = await runCreditJob(bench, audit())
    expect(findRun(bench.store.db, runId)).toMatchObject({
      status: 'finished',
      stage: 'credit-audit',
      parents: [{ role: 'rollouts', run_id: recordedRunId }],
    })
    const result = creditResult(bench, runId)
    expect(result.audit).toMatchObject({ rollouts: 2, projected_share_sum: 1 })
    expect(result.datc).toBe(null)
    expect(result.listing).toMatchObject({ kind: 'credit-audit', rollouts: 2, ids: null, source })
    expect(result.listing.settings).toMatchObject({ partition: 'rollout', dtype: 'float64' })
    expect(result.listing.settings).not.toHaveProperty('model_files')
    expect(result.listing.policy).toBe('the base model, in a fresh adapter')
    expect(result.sampled).toBe(null)
  })

  it('is not computed twice, and is where anything about it differs', async () => {
    const first = await runCreditJob(bench, audit())
    expect(await runCreditJob(bench, audit())).toBe(first)
    const byTurn = await runCreditJob(bench, audit({ partition: 'turn' }))
    const oneRollout = await runCreditJob(bench, { ...audit(), ids: ['b'] })
    expect(new Set([first, byTurn, oneRollout]).size).toBe(3)
    expect(creditResults(bench).map(({ run_id }) => run_id)).toEqual([oneRollout, byTurn, first])
    writeFileSync(join(fake.model, 'model.safetensors'), 'other weights')
    expect(await runCreditJob(bench, audit())).not.toBe(first)
  })

  it('is refused for rollouts that are not there and for a model that nobody knows, and leaves no run', async () => {
    const refused = async (request: CreditJob, words: RegExp) => {
      const fault = await runCreditJob(bench, request).catch((error: unknown) => error)
      expect(fault).toBeInstanceOf(BadInput)
      expect((fault as Error).message).toMatch(words)
    }
    await refused({ ...audit(), ids: ['z'] }, /z/)
    await refused({ ...audit(), model: undefined }, /model/)
    await refused({ ...audit(), adapter: join(fake.root, 'nowhere') }, /nowhere/)
    expect(creditResults(bench)).toEqual([])
  })

  it('says to compute it again where its document is gone, and a study is told without it', async () => {
    const runId = await runCreditJob(bench, audit())
    const run = findRun(bench.store.db, recordedRunId)!
    expect(studyCredit(bench, run)).toMatchObject({
      readings: [],
      methods: null,
      audits: [{ run_id: runId, iterations: [1, 1], audit: { rollouts: 2 } }],
    })
    rmSync(join(bench.home, 'runs', runId, runFiles.audit))
    expect(() => creditResult(bench, runId)).toThrow(/compute it again/)
    expect(studyCredit(bench, run)).toBe(undefined)
  })

  it('weighs tokens with a reward adapter of its own', async () => {
    const rewardAdapter = join(fake.root, 'reward')
    mkdirSync(rewardAdapter)
    writeFileSync(join(rewardAdapter, 'adapter_config.json'), '{}')
    const { model, device, threads } = audit()
    const datc = { max_weight: 3, ablation: 'none', seed: 1 } as const
    const asked = { stage: 'credit-datc', source, model, device, threads, settings: datc, rewardAdapter } as const
    const { datc: reading, listing } = creditResult(bench, await runCreditJob(bench, asked))
    expect(reading?.rows.map(({ id, weights }) => [id, weights])).toEqual([
      ['a', [1, 1]],
      ['b', [1, 1]],
    ])
    expect(listing.kind).toBe('credit-datc')
  })
})

it('the concentration over turns needs one audit by turn and one by rollout, of the same settings', async () => {
  const missing = async () => (await keptConcentration(bench, { source })).missing
  expect(await missing()).toEqual(['turn', 'rollout'])
  await runCreditJob(bench, audit({ partition: 'turn' }))
  expect(await missing()).toEqual(['rollout'])
  await runCreditJob(bench, audit({ dtype: 'float32' }))
  expect(await missing()).toEqual(['rollout'])
  await runCreditJob(bench, audit())
  expect(await missing()).toEqual([])
  expect((await keptConcentration(bench, { source, ids: ['a'] })).missing).toEqual(['turn', 'rollout'])
})

describe('episodes of the desk', () => {
  const play = () =>
    playDesk(bench, {
      from: { split: 'train', task_seed: 49, tasks: 2 },
      model: fake.model,
      settings: { mode: 'rollouts', group_size: 1, greedy: true, seed: 1, rules: {} as never },
      device: 'cpu',
      threads: 1,
    })

  it('are kept as a trajectory file, which can be forgotten', async () => {
    const runId = await play()
    const [listing] = deskPlays(bench)
    expect(listing).toMatchObject({ run_id: runId, status: 'finished', name: 'desk, 2 train tasks' })
    const { source: kept } = listing!
    if (kept?.kind !== 'file') throw new Error('was not kept')
    expect(existsSync(join(bench.home, 'trajectories', kept.sha256, 'rows.jsonl'))).toBe(true)
    forgetTrajectories(bench.home, kept.sha256)
    expect(deskPlays(bench)[0]?.source).toBe(null)
  })

  it('have a summary only where all of them are the desk’s', async () => {
    expect(await deskSummary(bench, { source })).toBe(null)
  })
})
