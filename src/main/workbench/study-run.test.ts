import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BadInput } from '../../shared/bad-input.ts'
import type { StudyId } from '../../shared/ids.ts'
import { stageNames } from '../../shared/study-document.ts'
import type { StudyProgress } from '../../shared/study-progress.ts'
import { runFor } from '../store/runs.ts'
import { type FakeBench, fakeBench, quickConfig } from './fake-bench.ts'
import { JobControl } from './job-control.ts'
import { listStudies } from './list-studies.ts'
import { showStudy } from './show-study.ts'
import { resumeStudy, runStudy } from './study-run.ts'
import type { Workbench } from './workbench.ts'

let fake: FakeBench
let bench: Workbench
beforeEach(() => {
  fake = fakeBench()
  bench = fake.open()
})
afterEach(() => {
  bench.close()
  rmSync(fake.root, { recursive: true, force: true })
})

const request = () => ({ model: fake.model, config: quickConfig, device: 'cpu' as const, threads: 1 })

async function fault(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => {
      throw new Error('nothing was thrown')
    },
    (error: Error) => error,
  )
}

describe('a study', () => {
  it('goes from corpus to report', async () => {
    const seen: StudyProgress[] = []
    const out = join(fake.root, 'out')
    const outcome = await runStudy(bench, { ...request(), out }, { onProgress: (progress) => seen.push(progress) })
    expect(outcome.status).toBe('finished')
    expect(outcome.stages.map(({ name, status }) => [name, status])).toEqual(
      stageNames.map((name) => [name, 'finished']),
    )
    expect(outcome.stages[1]).toMatchObject({ updates: 4, total: 4 })
    expect(outcome.stages[3]).toMatchObject({ updates: 8, total: 8 })
    expect(outcome.results?.reward_test.pairs).toBe(180)
    expect(outcome.results?.probes).toMatchObject({ probe_rows: 80, unique_contexts: 20, main_unchanged: true })
    expect(Object.keys(outcome.final_learned_sha256).sort()).toEqual(
      ['actor', 'critic', 'policy', 'ppo_reward', 'reference', 'reward'].sort(),
    )
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toBe(`${outcome.study_id} finished`)
    expect(outcome.report_files).toContain(join(out, 'report.json'))
    for (const name of stageNames) expect(seen.some((progress) => progress.stage === name)).toBe(true)
    for (const progress of seen) expect(progress.value).toBeLessThanOrEqual(1)

    const document = showStudy(bench, outcome.study_id)
    expect(document.curves.sft).toHaveLength(4)
    expect(document.curves.sft_validation).toHaveLength(2)
    expect(document.curves.ppo).toHaveLength(8)
    expect(document.iterations).toHaveLength(4)
    expect(document.integrity.every(({ status }) => status === 'ok')).toBe(true)
    expect(document.integrity.map(({ name }) => name)).toContain('reference unchanged')
    expect(document.corpus?.audit).toMatchObject({ pairs: 1200 })
    expect(document.runs).toHaveLength(8)
    expect(JSON.stringify(document)).not.toContain('null,null,null')
    expect(listStudies(bench)).toMatchObject([{ study_id: outcome.study_id, status: 'finished', next_stage: null }])
    // The same request again is a new study, since the first is finished.
    expect((await resumeStudy(bench, outcome.study_id)).status).toBe('finished')
  })

  it('proves exact resumption of each learning stage', async () => {
    const outcome = await runStudy(bench, { ...request(), verifyResume: true })
    const { resume_checks } = showStudy(bench, outcome.study_id)
    expect(
      resume_checks.map(({ stage, status, interrupted_after, unit }) => [stage, status, interrupted_after, unit]),
    ).toEqual([
      ['sft', 'ok', 1, 'epochs'],
      ['reward', 'ok', 1, 'epochs'],
      ['ppo', 'ok', 2, 'iterations'],
    ])
  })

  it('fails by name when a resumed run differs', async () => {
    fake.plan({ forgetful: true })
    const error = await fault(runStudy(bench, { ...request(), verifyResume: true }))
    expect(error).toMatchObject({ name: 'IntegrityViolation', fact: 'resumed sft equals continuous sft' })
    expect(listStudies(bench)[0]).toMatchObject({ status: 'failed', next_stage: 'sft' })
    fake.plan({})
    expect(await fault(resumeStudy(bench, listStudies(bench)[0]!.study_id))).toMatchObject({
      name: 'IntegrityViolation',
    })
  })

  it('fails by name when a frozen role moved', async () => {
    fake.plan({ fault: 'moves-reward' })
    const error = await fault(runStudy(bench, request()))
    expect(error.message).toContain('reference unchanged')
    const [study] = listStudies(bench)
    expect(study).toMatchObject({ status: 'failed', next_stage: 'ppo' })
    expect(showStudy(bench, study!.study_id).error).toMatchObject({ stage: 'ppo' })
  })
})

describe('an interrupted study', () => {
  it('stops on request and goes on where it stood, to the same end', async () => {
    fake.plan({ delayMs: 30 })
    const control = new JobControl()
    const first = await runStudy(bench, request(), {
      control,
      onProgress: ({ stage, done }) => {
        if (stage === 'reward' && done >= 3) control.stop()
      },
    })
    expect(first.status).toBe('interrupted')
    fake.plan({})
    expect(first.stages.find(({ name }) => name === 'reward')).toMatchObject({ status: 'interrupted' })
    const second = await runStudy(bench, request())
    expect(second.study_id).toBe(first.study_id)
    expect(second.status).toBe('finished')
    const other = fakeBench()
    const untouched = other.open()
    const whole = await runStudy(untouched, { ...request(), model: fake.model })
    expect(second.final_learned_sha256).toEqual(whole.final_learned_sha256)
    const curves = (at: Workbench, id: string) => showStudy(at, id).curves
    expect(curves(bench, second.study_id)).toEqual(curves(untouched, whole.study_id))
    untouched.close()
    rmSync(other.root, { recursive: true })
  })

  it.each(['evaluation', 'probes'] as const)(
    'is interrupted, not failed, when stopped in %s, and goes on',
    async (at) => {
      fake.plan({ slow: at === 'evaluation' ? 'generate' : 'judge', delayMs: 150 })
      const control = new JobControl()
      const first = await runStudy(bench, request(), {
        control,
        onProgress: ({ stage, done }) => {
          if (stage === at && done > 0) control.stop()
        },
      })
      expect(first).toMatchObject({ status: 'interrupted', reason: expect.stringContaining('read anew') })
      expect(first.stages.find(({ name }) => name === at)).toMatchObject({ status: 'interrupted', error: null })
      expect(listStudies(bench)[0]).toMatchObject({ status: 'interrupted', next_stage: at })
      const left = showStudy(bench, first.study_id).runs.find(({ status }) => status === 'interrupted')
      expect(left?.stage).toBe(at === 'evaluation' ? 'generate' : 'judge')
      fake.plan({})
      expect(await resumeStudy(bench, first.study_id)).toMatchObject({ status: 'finished', study_id: first.study_id })
    },
  )

  it('pauses, says so, and goes on', async () => {
    fake.plan({ delayMs: 10 })
    const control = new JobControl()
    const states: string[] = []
    let asked = false
    const outcome = await runStudy(bench, request(), {
      control,
      onProgress: ({ stage, done, state }) => {
        if (stage === 'reward' && done >= 2 && !asked) {
          asked = true
          control.pause()
          setTimeout(() => control.resume(), 150)
        }
        states.push(state)
      },
    })
    expect(outcome.status).toBe('finished')
    expect(states).toContain('paused')
    expect(states.at(-1)).toBe('running')
  })

  it('survives kill -9 of its stage process at any moment', async () => {
    fake.plan({ delayMs: 3 })
    let kills = 0
    let outcome = await killed()
    while (outcome.status !== 'finished') outcome = await killed()
    expect(kills).toBeGreaterThan(2)
    const document = showStudy(bench, outcome.study_id)
    expect(document.curves.reward.map(({ update }) => update)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    )
    const run = runFor(bench.store.db, outcome.study_id as StudyId, 'reward', 'main')!
    const journal = readFileSync(
      join(bench.home, 'studies', outcome.study_id, 'runs', run.runId, 'journal.jsonl'),
      'utf8',
    )
    const losses = journal
      .split('\n')
      .filter((line) => line.includes('"update"'))
      .map((line) => (JSON.parse(line) as { loss: number }).loss)
    expect(document.curves.reward.map(({ loss }) => loss)).toEqual(losses)

    async function killed() {
      const control = new JobControl()
      const timer = setTimeout(
        () => {
          if (kills++ < 6) control.kill()
        },
        60 + Math.random() * 250,
      )
      return runStudy(bench, request(), { control }).finally(() => clearTimeout(timer))
    }
  })

  it('is refused with the hash that differs when data, configuration or base changed', async () => {
    fake.plan({ delayMs: 30 })
    const control = new JobControl()
    const { study_id } = await runStudy(bench, request(), {
      control,
      onProgress: ({ stage, done }) => {
        if (stage === 'reward' && done >= 2) control.stop()
      },
    })
    fake.plan({})
    const corpusFile = join(bench.home, 'studies', study_id, 'corpus', 'pairs-train.jsonl')
    const original = readFileSync(corpusFile)
    appendFileSync(corpusFile, '{"id":"more"}\n')
    expect((await fault(resumeStudy(bench, study_id))).message).toMatch(
      /pairs-train.jsonl: changed.*SHA-256 is [0-9a-f]{64}/,
    )
    writeFileSync(corpusFile, original)

    const run = runFor(bench.store.db, study_id as StudyId, 'reward', 'main')!
    const input = join(bench.home, 'studies', study_id, 'runs', run.runId, 'inputs', 'train.jsonl')
    appendFileSync(input, '{"id":"more"}\n')
    expect((await fault(resumeStudy(bench, study_id))).message).toMatch(
      /train.jsonl: changed since the run began.*[0-9a-f]{64}/,
    )
    writeFileSync(input, original)

    const config = { config: { ...quickConfig, gamma: 0.5 } }
    expect((await fault(resumeStudy(bench, study_id, { config }))).message).toMatch(/configuration.*[0-9a-f]{64}/)
    writeFileSync(join(fake.model, 'model.safetensors'), 'other weights')
    const changedBase = await fault(resumeStudy(bench, study_id))
    expect(changedBase).toBeInstanceOf(BadInput)
    expect(changedBase.message).toMatch(/model.safetensors: is not the file.*[0-9a-f]{64}/)
    writeFileSync(join(fake.model, 'model.safetensors'), 'weights')

    const sft = runFor(bench.store.db, study_id as StudyId, 'sft', 'main')!
    const adapter = join(bench.home, 'studies', study_id, 'runs', sft.runId, 'adapter', 'adapter_model.safetensors')
    const kept = readFileSync(adapter)
    writeFileSync(adapter, 'another policy')
    expect((await fault(resumeStudy(bench, study_id))).message).toMatch(/adapter_model.safetensors: changed/)
    writeFileSync(adapter, kept)
    expect((await resumeStudy(bench, study_id)).status).toBe('finished')
  })

  it('keeps the failure of a stage and can go on after it', async () => {
    fake.plan({ stage: 'ppo', after: 1, fault: 'out-of-memory' })
    expect(await fault(runStudy(bench, request()))).toMatchObject({ name: 'StageFailed', failure: 'out-of-memory' })
    expect(listStudies(bench)[0]).toMatchObject({ status: 'failed', next_stage: 'ppo' })
    fake.plan({})
    expect((await runStudy(bench, request())).status).toBe('finished')
    expect(listStudies(bench)).toHaveLength(1)
  })

  it('stops at a number that is not finite and names it', async () => {
    fake.plan({ stage: 'sft', fault: 'not-finite', after: 99 })
    const error = await fault(runStudy(bench, request()))
    expect(error.message).toMatch(/journal.jsonl.*loss/)
    expect(listStudies(bench)[0]).toMatchObject({ status: 'failed', next_stage: 'sft' })
  })
})

describe('two processes on one home', () => {
  it('lets the second see the first run, refuses a second job, and marks a killed one interrupted', async () => {
    fake.plan({ delayMs: 40 })
    const modules = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)))
    const script = `import { openFake } from ${modules('./fake-bench.ts')}
      import { runStudy } from ${modules('./study-run.ts')}
      await runStudy(openFake(${JSON.stringify(fake.home)}), ${JSON.stringify(request())}, { onProgress: (p) => p.stage === 'sft' && p.done > 1 && console.log('under way') })`
    const first = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise((underWay) => first.stdout.once('data', underWay))
    expect(listStudies(bench)[0]).toMatchObject({ status: 'running' })
    expect((await fault(runStudy(bench, { ...request(), fresh: true }))).message).toMatch(
      /is running here already \(process \d+\)/,
    )
    first.kill('SIGKILL')
    await new Promise((gone) => first.once('exit', gone))
    bench.close()
    bench = fake.open()
    const [study] = listStudies(bench)
    expect(study).toMatchObject({ status: 'interrupted', next_stage: 'sft' })
    expect(showStudy(bench, study!.study_id).runs[0]).toMatchObject({ status: 'interrupted' })
    fake.plan({})
    expect(await runStudy(bench, request())).toMatchObject({ status: 'finished', study_id: study!.study_id })
  })
})

describe('a device other than the CPU', () => {
  const gpu = () => ({ ...request(), device: 'webgpu' as const })

  it('is tried before anything is begun, by a new study and by one that goes on', async () => {
    fake.plan({ stage: 'device', fault: 'crash' })
    const refused = await fault(runStudy(bench, gpu()))
    expect(refused).toBeInstanceOf(BadInput)
    expect(refused.message).toMatch(/^--device: webgpu cannot compute here \(.*SIGSEGV.*\); use --device cpu$/)
    expect(listStudies(bench)).toEqual([])

    fake.plan({ delayMs: 20 })
    const control = new JobControl()
    const first = await runStudy(bench, gpu(), {
      control,
      onProgress: ({ stage, done }) => {
        if (stage === 'reward' && done >= 1) control.stop()
      },
    })
    expect(first.status).toBe('interrupted')
    fake.plan({ stage: 'device', fault: 'bad-input' })
    expect(await fault(resumeStudy(bench, first.study_id))).toBeInstanceOf(BadInput)
    // Its work so far and its standing are as they were.
    expect(listStudies(bench)).toMatchObject([{ status: 'interrupted', next_stage: 'reward' }])
    fake.plan({})
    expect(await resumeStudy(bench, first.study_id)).toMatchObject({ status: 'finished' })
    expect(readdirSync(join(bench.home, 'cache'))).toEqual([])
  })
})

describe('unusable input', () => {
  it('is refused before anything is made', async () => {
    expect((await fault(runStudy(bench, { ...request(), model: join(fake.root, 'none') }))).message).toContain(
      'does not exist',
    )
    expect((await fault(runStudy(bench, { model: fake.model, preset: 'nonsense' }))).message).toContain('--preset')
    const wrong = { ...quickConfig, gamma: 2 }
    expect((await fault(runStudy(bench, { ...request(), config: wrong, configSource: 'my.yaml' }))).message).toMatch(
      /my.yaml: .*\(gamma\)/,
    )
    expect((await fault(resumeStudy(bench, 'study-20200101-0000-aaaa'))).message).toContain('is not a study')
    expect(listStudies(bench)).toEqual([])
    expect(existsSync(join(bench.home, 'studies'))).toBe(false)
  })
})
