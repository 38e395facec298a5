import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'
import { runFiles } from '../../../shared/stage.ts'
import { embeddedPreset } from '../../../shared/training-config.ts'
import { findRun } from '../../store/runs.ts'
import { type FakeBench, fakeBench } from '../fake-bench.ts'
import { JobControl } from '../job-control.ts'
import { prepareJob } from '../job-request.ts'
import { StageInterrupted } from '../stage-ends.ts'
import type { Workbench } from '../workbench.ts'
import { datcStudies, datcStudy } from './datc-studies.ts'
import { type DatcStudyRequest, runDatcStudy } from './datc-study-job.ts'

let fake: FakeBench
let bench: Workbench
let data: string
beforeEach(() => {
  fake = fakeBench()
  bench = fake.open()
  data = join(fake.root, 'prompts.jsonl')
  writeFileSync(data, '{"id":"a","prompt":"one"}\n{"id":"b","prompt":"two"}\n')
  for (const name of ['policy', 'reward']) {
    mkdirSync(join(fake.root, name))
    writeFileSync(join(fake.root, name, 'adapter_config.json'), '{}')
  }
})
afterEach(() => {
  bench.close()
  rmSync(fake.root, { recursive: true, force: true })
})

const asked = (settings: Readonly<Record<string, unknown>> = {}, batches = 4) =>
  ({
    kind: 'credit-datc-study',
    model: fake.model,
    data,
    init_adapter: join(fake.root, 'policy'),
    reward_adapter: join(fake.root, 'reward'),
    preset: 'embedded',
    settings,
    batches,
    device: 'cpu',
    threads: 1,
  }) as const

function prepared(...given: Parameters<typeof asked>): DatcStudyRequest {
  const job = prepareJob(bench, asked(...given))
  if (job.kind !== 'credit-datc-study') throw new Error(job.kind)
  return job.request
}

describe('a study of single steps', () => {
  it('has the settings of the preset with what was changed, and refuses those that are none', () => {
    const { config } = prepared({ group_size: 5 })
    expect(config).toMatchObject({ group_size: 5, learning_rate: embeddedPreset.ppo_actor_lr, seed: 49 })
    expect(() => prepared({ group_sise: 5 })).toThrow(/did you mean group_size/)
    expect(() => prepared({ max_weight: 1 })).toThrow(/max_weight/)
  })

  it('is a run with one document, found again by what it was asked', async () => {
    const runId = await runDatcStudy(bench, prepared())
    expect(findRun(bench.store.db, runId)).toMatchObject({ status: 'finished', preset: 'embedded', parents: [] })
    const { listing, study } = datcStudy(bench, runId)
    expect(listing).toMatchObject({ prompts_name: 'prompts.jsonl', prompts: 2, batches: 4, error: null })
    expect(listing.config).toEqual(prepared().config)
    expect(study?.rows).toHaveLength(4)
    expect(study?.summary).toMatchObject({ batches: 4 })
    expect(datcStudies(bench)).toEqual([listing])
  })

  it('is not computed twice, and is where anything about it differs', async () => {
    const first = await runDatcStudy(bench, prepared())
    expect(await runDatcStudy(bench, prepared())).toBe(first)
    const more = await runDatcStudy(bench, prepared({}, 5))
    const seed = await runDatcStudy(bench, prepared({ seed: 1 }))
    writeFileSync(data, '{"id":"a","prompt":"other"}\n{"id":"b","prompt":"two"}\n')
    const rows = await runDatcStudy(bench, prepared())
    expect(datcStudies(bench).map(({ run_id }) => run_id)).toEqual([rows, seed, more, first])
  })

  it('is refused for rows and folders that cannot be used, and leaves no run', async () => {
    writeFileSync(data, '{"id":"a"}\n')
    await expect(runDatcStudy(bench, prepared())).rejects.toBeInstanceOf(BadInput)
    writeFileSync(data, '{"id":"a","prompt":"one"}\n')
    const nowhere = join(fake.root, 'nowhere')
    await expect(runDatcStudy(bench, { ...prepared(), initAdapter: nowhere })).rejects.toThrow(/nowhere/)
    expect(datcStudies(bench)).toEqual([])
  })

  it('stopped before its end has no document, and one whose document is gone says so', async () => {
    const control = new JobControl()
    control.stop()
    await expect(runDatcStudy(bench, prepared(), { control })).rejects.toBeInstanceOf(StageInterrupted)
    expect(datcStudy(bench, datcStudies(bench)[0]!.run_id).study).toBe(null)
    const runId = await runDatcStudy(bench, prepared())
    rmSync(join(bench.home, 'runs', runId, runFiles.datcStudy))
    expect(() => datcStudy(bench, runId)).toThrow(/compute it again/)
    expect(() => datcStudy(bench, 'run-of-nobody')).toThrow(/no study of single steps/)
  })
})
