import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RunId } from '../../../shared/ids.ts'
import { runFiles } from '../../../shared/stage.ts'
import { minimumPreset } from '../../../shared/training-config.ts'
import { findRun, updateRun } from '../../store/runs.ts'
import { type FakeBench, fakeBench } from '../fake-bench.ts'
import { groupConfig } from '../study-config.ts'
import type { Workbench } from '../workbench.ts'
import { runCreditJob } from './credit-job.ts'
import { runDatcStudy } from './datc-study-job.ts'
import { recordedRunId, recordRun, rollout } from './recorded-run.ts'
import { studyCredit } from './study-credit.ts'

let fake: FakeBench
let bench: Workbench
beforeEach(() => {
  fake = fakeBench()
  bench = fake.open()
  recordRun(bench, [[rollout({ rollout_id: 'a', prompt_id: 'p' })]])
  for (const name of ['policy', 'reward']) {
    mkdirSync(join(fake.root, name))
    writeFileSync(join(fake.root, name, 'adapter_config.json'), '{}')
  }
  writeFileSync(join(fake.root, 'prompts.jsonl'), '{"id":"a","prompt":"one"}\n')
})
afterEach(() => {
  bench.close()
  rmSync(fake.root, { recursive: true, force: true })
})

const at = (name: string) => join(fake.root, name)
const ppo = () => findRun(bench.store.db, recordedRunId)!
const on = { device: 'cpu', threads: 1 } as const

/** The learned states at the end of a run, as if they had been these. */
function learned(runId: string, learnedSha256: Record<string, string>, initialSha256: Record<string, string> = {}) {
  const summary = {
    stage: 'ppo' as const,
    updates: 0,
    total: 0,
    learnedSha256,
    initialSha256,
    baseSha256: '',
    trainableParameters: 0,
    seconds: {},
    peakRssBytes: 0,
  }
  updateRun(bench.store.db, runId as RunId, { summary })
}

it('a study is told what was weighed of its rollouts, and nothing where its document is gone', async () => {
  expect(studyCredit(bench, ppo())).toBe(undefined)
  const runId = await runCreditJob(bench, {
    stage: 'credit-datc',
    source: { kind: 'run', run_id: recordedRunId, iterations: [1, 1] },
    model: fake.model,
    rewardAdapter: at('reward'),
    settings: { max_weight: 3, ablation: 'shuffled', seed: 1 },
    ...on,
  })
  expect(studyCredit(bench, ppo())?.datc?.readings).toMatchObject([
    { run_id: runId, iterations: [1, 1], max_weight: 3, ablation: 'shuffled', rollouts: 1, predicted_gain: 0 },
  ])
  rmSync(join(bench.home, 'runs', runId, runFiles.datc))
  expect(studyCredit(bench, ppo())).toBe(undefined)
})

it('single steps are a study’s where they start from its policies under its own reward model', async () => {
  const parts = { model: fake.model, data: at('prompts.jsonl'), initAdapter: at('policy'), rewardAdapter: at('reward') }
  const config = groupConfig(minimumPreset)
  const runId = await runDatcStudy(bench, { ...parts, preset: 'minimum', config, batches: 3, ...on })
  const steps = () => studyCredit(bench, ppo())?.datc?.steps.map(({ from, summary }) => [from, summary.batches])
  learned(recordedRunId, { actor: 'end' }, { actor: 'start', reward: 'judge' })
  expect(steps()).toBe(undefined)
  learned(runId, { policy: 'start', reward: 'judge' })
  expect(steps()).toEqual([['before', 3]])
  learned(runId, { policy: 'end', reward: 'judge' })
  expect(steps()).toEqual([['after', 3]])
  learned(runId, { policy: 'end', reward: 'another judge' })
  expect(steps()).toBe(undefined)
  learned(runId, { policy: 'of nobody', reward: 'judge' })
  expect(steps()).toBe(undefined)
})
