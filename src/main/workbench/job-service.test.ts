import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BadInput } from '../../shared/bad-input.ts'
import type { JobRequest, JobView, WindowEvent } from '../../shared/ipc.ts'
import { decodeOwner } from '../store/process-owner.ts'
import { runFor } from '../store/runs.ts'
import { type FakeBench, fakeBench, openFake, quickConfig } from './fake-bench.ts'
import { JobService } from './job-service.ts'
import { showStudy } from './show-study.ts'
import type { Workbench } from './workbench.ts'

let fake: FakeBench
let bench: Workbench
let jobs: JobService
let events: WindowEvent[]

beforeEach(() => {
  fake = fakeBench()
  bench = fake.open()
  events = []
  jobs = new JobService(bench, (event) => events.push(event))
})
afterEach(async () => {
  await jobs.close(0)
  bench.close()
  rmSync(fake.root, { recursive: true, force: true })
})

const { name: _name, ...quick } = quickConfig
const study = (): JobRequest => ({
  kind: 'study',
  preset: 'minimum',
  settings: quick,
  model: fake.model,
  name: 'own name',
  device: 'cpu',
  threads: 1,
})

const until = (what: (job: JobView | null) => boolean) =>
  vi.waitFor(() => expect(what(jobs.current())).toBe(true), { timeout: 30_000, interval: 10 })
const state = (wanted: JobView['state']) => until((job) => job?.state === wanted)
const views = () => events.flatMap((event) => (event.type === 'job' && event.job !== null ? [event.job] : []))

describe('a job of the window', () => {
  it('runs a study to its end and tells of it', async () => {
    const started = await jobs.start(study())
    expect(started).toMatchObject({ kind: 'study', title: 'own name', message: null })
    await state('finished')
    const last = jobs.current()
    expect(showStudy(bench, last?.study_id ?? '').status).toBe('finished')
    expect(views().at(-1)).toEqual(last)
    expect(views().some((job) => job.progress !== null)).toBe(true)
    expect(events).toContainEqual({ type: 'changed', study_id: last?.study_id })
  })

  it('is refused, and not started, for a wrong setting, folder or study', async () => {
    const refused = async (request: JobRequest, words: RegExp) => {
      const error = await jobs.start(request).catch((fault: unknown) => fault)
      expect(error).toBeInstanceOf(BadInput)
      expect((error as Error).message).toMatch(words)
      expect(jobs.current()).toBe(null)
    }
    await refused({ ...study(), settings: { sft_epoch: 2 } } as JobRequest, /did you mean sft_epochs/)
    await refused({ ...study(), settings: { sft_epochs: -2 } } as JobRequest, /sft_epochs/)
    await refused({ ...study(), model: join(fake.root, 'nowhere') } as JobRequest, /nowhere: does not exist/)
    await refused({ kind: 'resume', study_id: 'study-20261129-1604-ab12' }, /is not a study/)
  })

  it('pauses, says so, goes on, and stops at the next update; the study can then go on', async () => {
    fake.plan({ delayMs: 700, slow: 'ppo' })
    await jobs.start(study())
    await until((job) => job?.progress?.stage === 'ppo' && job.progress.done > 0)
    expect(jobs.pause()?.state).toBe('paused')
    await vi.waitFor(() => expect(jobs.current()?.progress?.state).toBe('paused'))
    expect(jobs.resume()?.state).toBe('running')
    const stopping = jobs.stop()
    expect(stopping).toMatchObject({ state: 'stopping', message: expect.stringMatching(/after the iteration at hand/) })
    await state('interrupted')
    const id = jobs.current()?.study_id ?? ''
    expect(showStudy(bench, id).status).toBe('interrupted')
    fake.plan({})
    await jobs.start({ kind: 'resume', study_id: id })
    await state('finished')
    expect(showStudy(bench, id).status).toBe('finished')
  })

  it('is the only one: a second start is refused by the name of the first', async () => {
    fake.plan({ delayMs: 700, slow: 'sft' })
    await jobs.start(study())
    await expect(jobs.start(study())).rejects.toThrow('own name: is running; stop it first')
  })

  it('says why it failed', async () => {
    fake.plan({ stage: 'sft', fault: 'failure' })
    await jobs.start(study())
    await state('failed')
    expect(jobs.current()?.message).toBe('sft: no failure today')
    expect(showStudy(bench, jobs.current()?.study_id ?? '').status).toBe('failed')
  })

  it('is interrupted, and can go on, when its process is killed', async () => {
    fake.plan({ delayMs: 700, slow: 'ppo' })
    await jobs.start(study())
    await until((job) => job?.progress?.stage === 'ppo' && job.progress.done > 0)
    const id = jobs.current()?.study_id ?? ''
    const owner = runFor(bench.store.db, showStudy(bench, id).study_id as never, 'ppo', 'main')?.stageProcess
    process.kill(decodeOwner(owner ?? '').pid, 'SIGKILL')
    await state('interrupted')
    expect(jobs.current()?.message).toMatch(/killed/)
    fake.plan({})
    await jobs.start({ kind: 'resume', study_id: id })
    await state('finished')
  })

  it('trains on rows of one’s own', async () => {
    const data = join(fake.root, 'Zeilen № 1 (50 %).jsonl')
    writeFileSync(data, '{"id":"a","prompt":"p","completion":"c"}\n{"id":"b","prompt":"q","completion":"d"}\n')
    const out = join(fake.root, 'out "of" it')
    const request: JobRequest = { kind: 'train', stage: 'sft', model: fake.model, data, out, device: 'cpu', threads: 1 }
    expect((await jobs.start(request)).title).toBe('SFT on Zeilen № 1 (50 %).jsonl')
    await state('finished')
    expect(existsSync(join(out, 'adapter_config.json'))).toBe(true)
    expect(jobs.current()?.run_id).toMatch(/-sft$/)
    await expect(jobs.start(request)).rejects.toThrow('is not empty')
    expect(jobs.current()?.state).toBe('finished')
  })

  it('stops with the program and is seen as interrupted by the next one', async () => {
    fake.plan({ delayMs: 700, slow: 'ppo' })
    await jobs.start(study())
    await until((job) => job?.progress?.stage === 'ppo')
    await jobs.close(30_000)
    bench.close()
    bench = openFake(fake.home)
    jobs = new JobService(bench, (event) => events.push(event))
    expect(jobs.current()).toMatchObject({ state: 'interrupted', title: 'own name' })
  })

  it('is ended by force when it does not stop in time', async () => {
    fake.plan({ delayMs: 600_000, slow: 'sft' })
    await jobs.start(study())
    await until((job) => job?.progress?.stage === 'sft')
    await jobs.close(50)
    expect(jobs.current()?.state).toBe('interrupted')
  })
})

describe('a job of another program', () => {
  let other: ChildProcess | undefined
  afterEach(() => other?.kill('SIGKILL'))

  it('is shown as such, cannot be touched from here, and is interrupted when that program dies', async () => {
    fake.plan({ delayMs: 700, slow: 'sft' })
    const script = `
      import { openFake, quickConfig } from ${JSON.stringify(new URL('./fake-bench.ts', import.meta.url).href)}
      import { runStudy } from ${JSON.stringify(new URL('./study-run.ts', import.meta.url).href)}
      const bench = openFake(${JSON.stringify(fake.home)})
      const request = { model: ${JSON.stringify(fake.model)}, config: quickConfig, device: 'cpu', threads: 1 }
      await runStudy(bench, request, { onProgress: ({ stage }) => { if (stage === 'sft') process.stdout.write('sft') } })`
    other = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(other.stdout as NodeJS.ReadableStream, 'data')
    await until((job) => job?.other_process === other?.pid && job?.state === 'running')
    expect(jobs.current()).toMatchObject({
      kind: 'study',
      title: 'quick',
      message: expect.stringMatching(/another program/),
    })
    expect(views().at(-1)?.other_process).toBe(other.pid)
    expect(() => jobs.stop()).toThrow(/runs in another program/)
    await expect(jobs.start(study())).rejects.toThrow(/in another program/)
    const id = jobs.current()?.study_id ?? ''
    other.kill('SIGKILL')
    await until((job) => job?.other_process === undefined)
    expect(showStudy(bench, id).status).toBe('interrupted')
  })
})
