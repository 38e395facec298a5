/** Every request against a home with one finished study, as a window asks. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StudyId } from '../../shared/ids.ts'
import type { Answers, Preferences, RequestName, RequestParameters } from '../../shared/ipc.ts'
import { embeddedPreset } from '../../shared/training-config.ts'
import { fakeBench, openFake, quickConfig } from '../workbench/fake-bench.ts'
import { reportDir, studyDir } from '../workbench/places.ts'
import { runStudy } from '../workbench/study-run.ts'
import { openWorkbench } from '../workbench/workbench.ts'
import { answer } from './answer.ts'
import { openRequests, type WindowRequests } from './requests.ts'
import { exportUrl } from './served-file.ts'

const model = resolve('test/golden/checkpoints/base_f32')
const fake = fakeBench()
const exported: string[] = []
const chosen: Preferences[] = []
let requests: WindowRequests
let id: string

beforeAll(async () => {
  const bench = openFake(fake.home)
  id = (await runStudy(bench, { model, config: quickConfig, name: 'small', device: 'cpu', threads: 1 })).study_id
  bench.close()
  // The fake workbench writes a report of one line, which is none.
  rmSync(reportDir(fake.home, id as StudyId), { recursive: true })
  requests = openOn(fake.home)
})
afterAll(async () => {
  await requests.close()
  rmSync(fake.root, { recursive: true, force: true })
})

const openOn = (home: string) =>
  openRequests(
    home,
    {
      kind: 'browser',
      pick: async () => null,
      exportUrl,
      onExport: (file) => exported.push(file),
      onPreferences: (preferences) => chosen.push(preferences),
    },
    (folder) => openWorkbench({ home: folder }),
  )

async function ask<Name extends RequestName>(name: Name, parameters: RequestParameters<Name>): Promise<Answers[Name]> {
  const reply = await answer(requests.handlers, name, parameters)
  if (!reply.ok) throw new Error(reply.message)
  return reply.value as Answers[Name]
}

describe('studies, runs and rollouts', () => {
  it('are listed and shown', async () => {
    expect(await ask('studies.list', {})).toMatchObject([{ study_id: id, status: 'finished' }])
    const { study, report_url } = await ask('studies.show', { study_id: id })
    expect([study.name, report_url]).toEqual(['small', null])
    const runs = await ask('runs.list', {})
    expect(runs).toHaveLength(study.runs.length)
    expect(runs.map(({ created_at }) => created_at)).toEqual([...runs.map((run) => run.created_at)].sort().reverse())
    const ppo = runs.find(({ stage }) => stage === 'ppo')
    expect(ppo).toMatchObject({ study_name: 'small', status: 'finished', model, updates: 8 })
    const view = await ask('runs.show', { run_id: ppo?.run_id ?? '' })
    expect([view.updates.length, view.ppo_updates.length, view.iterations.length]).toEqual([0, 8, 4])
    const sft = runs.find(({ stage }) => stage === 'sft')
    expect(await ask('runs.show', { run_id: sft?.run_id ?? '' })).toMatchObject({ study_id: id, ppo_updates: [] })
    await expect(ask('runs.show', { run_id: 'run-x' })).rejects.toThrow('run-x: is not a run')
  })

  it('rollouts have the rubric’s verdict and the text of each token', async () => {
    const rollouts = await ask('rollouts.list', { study_id: id })
    expect(rollouts).toHaveLength(16)
    expect(rollouts[0]).toMatchObject({ iteration: 1, response_tokens: 2, rubric: { recognized: false } })
    const view = await ask('rollouts.show', { study_id: id, rollout_id: rollouts[0]?.rollout_id ?? '' })
    expect(view.prompt_tokens).toHaveLength(3)
    expect(view.response_tokens.every((text) => text.length > 0)).toBe(true)
    expect(view.observations).toHaveLength(2)
    await expect(ask('rollouts.show', { study_id: id, rollout_id: 'none' })).rejects.toThrow('is not a rollout')
  })

  it('a study is verified', async () => {
    const { ok, checks } = await ask('studies.verify', { study_id: id })
    expect(ok).toBe(true)
    expect(checks.length).toBeGreaterThan(20)
  })
})

describe('a report', () => {
  it('has sections, of which some are always written, and a preview that runs nothing', async () => {
    const sections = await ask('report.sections', { study_id: id })
    expect(sections.filter(({ required }) => required).map((section) => section.id)).toEqual(['provenance', 'limits'])
    const { html } = await ask('report.preview', { study_id: id, sections: [sections[0]?.id ?? ''] })
    expect(html).toContain(`id="${sections[0]?.id}"`)
    expect(html).not.toContain(`id="${sections[1]?.id}"`)
    expect(html).not.toContain('<script')
    await expect(ask('report.preview', { study_id: id, sections: ['gossip'] })).rejects.toThrow(/no section "gossip"/)
  })

  it('is previewed on paper whatever the reader’s colours are', async () => {
    const { html } = await ask('report.preview', { study_id: id, sections: ['headline'], figure_width: 'single' })
    expect(html).toContain('<meta name="color-scheme" content="light"/>')
    // What print changes holds here without a condition, after what dark would have changed.
    expect(html).not.toContain('@media print')
    expect(html.lastIndexOf('--paper: #ffffff')).toBeGreaterThan(html.indexOf('prefers-color-scheme: dark'))
    expect(html).toContain('class="figures narrow fixed"')
  })

  it('keeps what was chosen for it with the study, and a damaged choice aside', async () => {
    expect(await ask('report.choice', { study_id: id })).toEqual({
      choice: { left_out: [], figure_width: null, captions: {} },
      warning: null,
    })
    const choice = {
      left_out: ['sft'],
      figure_width: 'double' as const,
      captions: { 'table-stages': 'What was <run>' },
    }
    await ask('report.choose', { study_id: id, choice })
    expect(await ask('report.choice', { study_id: id })).toEqual({ choice, warning: null })
    const { html } = await ask('report.preview', { study_id: id, captions: choice.captions })
    expect(html).toContain('What was &lt;run&gt;</caption>')
    await expect(ask('report.preview', { study_id: id, captions: { 'table-x': 'y' } })).rejects.toThrow('table-x')
    // It is no stranger in the study's folder.
    expect((await ask('studies.verify', { study_id: id })).checks.filter(({ status }) => status !== 'ok')).toEqual([])
    const file = join(studyDir(fake.home, id as StudyId), 'report-choice.json')
    writeFileSync(file, '{"left_out": 7}')
    const damaged = await ask('report.choice', { study_id: id })
    expect(damaged.choice.left_out).toEqual([])
    expect(damaged.warning).toContain('was kept as report-choice.json.damaged-1')
    expect(readFileSync(`${file}.damaged-1`, 'utf8')).toBe('{"left_out": 7}')
    rmSync(`${file}.damaged-1`)
  })

  it('is exported in every format, with addresses for what lies in the study’s own folder', async () => {
    const formats = ['html', 'json', 'pdf', 'latex', 'csv', 'svg'] as const
    const { files } = await ask('report.export', { study_id: id, formats: [...formats] })
    for (const ending of ['.html', '.json', '.pdf', '.tex', '.csv', '.svg']) {
      expect(files.some(({ path }) => path.endsWith(ending))).toBe(true)
    }
    for (const { path, bytes, url } of files) {
      expect(readFileSync(path).length).toBe(bytes)
      expect(url).toMatch(new RegExp(`^/export/${id}/`))
    }
    expect(exported.at(-1)).toBe(files[0]?.path)
    expect((await ask('studies.show', { study_id: id })).report_url).toBe(`/report/${id}/`)
  })

  it('is refused where no folder can be, without waiting for ever', async () => {
    const nowhere = ask('report.export', { study_id: id, formats: ['json'], out: '/proc/none/report' })
    await expect(nowhere).rejects.toThrow(/\/proc\/none\/report/)
  })

  it('goes to a folder of the user’s without an address', async () => {
    const out = join(fake.root, 'für "mich" 50 %')
    const { files } = await ask('report.export', { study_id: id, formats: ['json'], out })
    expect(files).toEqual([{ path: join(out, 'report.json'), bytes: expect.any(Number), url: null }])
    const own = join(fake.root, 'mine')
    cpSync(out, own, { recursive: true })
    writeFileSync(join(own, 'report.json'), '{"somebody": "else"}')
    await expect(ask('report.export', { study_id: id, formats: ['json'], out: own })).rejects.toThrow(/report\.json/)
  })
})

describe('an estimate', () => {
  const { name: _name, ...quick } = quickConfig
  const study = { kind: 'study' as const, preset: 'minimum' as const, model, device: 'cpu' as const, threads: 1 }

  it('takes its seconds from a comparable study and scales them', async () => {
    const same = await ask('jobs.estimate', { ...study, settings: quick })
    const double = await ask('jobs.estimate', {
      ...study,
      settings: { ...quick, rollout_iterations: 2 * quick.rollout_iterations },
    })
    expect(same.basis).toContain(id)
    const { study: shown } = await ask('studies.show', { study_id: id })
    const total = shown.stages.reduce((sum, { seconds }) => sum + seconds, 0)
    const ppo = shown.stages.find((stage) => stage.name === 'ppo')?.seconds ?? 0
    expect(same.seconds).toBeCloseTo(total, 9)
    expect(double.seconds).toBeCloseTo(total + ppo, 9)
    expect(same.disk_bytes).toBeGreaterThan(0)
    expect(same.free_bytes).toBeGreaterThan(0)
    expect(same.memory_bytes).toBeGreaterThan(100e6)
    expect(same.notes.join(' ')).toMatch(/held-out rows, gold labels and probes are not in its process/)
    expect(same.command).toMatch(
      /^cat > study\.yaml <<'SETTINGS'\n[\s\S]*\nSETTINGS\nnpm run --silent recompense -- study run/,
    )
  })

  it('does not guess: another number of threads, another length, another model', async () => {
    for (const changed of [
      { ...study, threads: 2, settings: quick },
      { ...study, settings: { ...quick, max_new_tokens: 32 } },
      { ...study, verify_resume: true, settings: quick },
      { ...study, model: resolve('test/golden/checkpoints/base_bf16'), settings: quick },
    ]) {
      expect(await ask('jobs.estimate', changed)).toMatchObject({
        seconds: null,
        basis: 'nothing comparable was measured on this machine yet',
      })
    }
  })

  it('writes the command of a plain preset without a file', async () => {
    const { command, settings } = await ask('jobs.estimate', {
      kind: 'study',
      preset: 'embedded',
      settings: { seed: 7 },
      name: "it's mine",
    })
    expect(command).toContain(`study run --preset embedded --seed 7 --model `)
    expect(command).toContain(`--name 'it'\\''s mine'`)
    expect(settings).toEqual({ ...embeddedPreset, seed: 7 })
  })

  it('says what is unusual, and refuses what the start would refuse', async () => {
    const { notes } = await ask('jobs.estimate', { ...study, settings: { kl_coefficient: 0, rollout_iterations: 3 } })
    expect(notes.join(' ')).toMatch(/KL coefficient is 0.*3 PPO iterations are few/s)
    await expect(ask('jobs.estimate', { ...study, settings: { gama: 1 } })).rejects.toThrow(/did you mean gamma/)
    await expect(ask('jobs.estimate', { kind: 'study', preset: 'minimum' })).rejects.toThrow(/Qwen2.5-0.5B-Instruct/)
  })

  it('of a finished study is nothing left to do', async () => {
    expect((await ask('jobs.estimate', { kind: 'resume', study_id: id })).seconds).toBe(0)
  })
})

describe('rows of one’s own', () => {
  const file = join(fake.root, 'rows "1" 50 %.jsonl')
  const check = (kind: 'demonstration' | 'pair' | 'prompt', lines: readonly string[], withModel = false) => {
    writeFileSync(file, lines.join('\n'))
    return ask('rows.check', { file, kind, ...(withModel ? { model } : {}) })
  }

  it('are checked one by one, to the end of the file', async () => {
    const result = await check('pair', [
      '{"id":"a","prompt":"p","chosen":"c","rejected":"r"}',
      'not json',
      '',
      '{"id":"b","prompt":"p","chosen":"c"}',
      '{"id":"a","prompt":"p","chosen":"c","rejected":"r"}',
      '{"id":"d","prompt":"p","chosen":"c","rejected":"c"}',
      '[1]',
    ])
    expect(result.rows).toBe(6)
    expect(result.problems).toEqual([
      { line: 2, id: null, problem: expect.stringMatching(/is not JSON/) },
      { line: 4, id: 'b', problem: 'rejected: needs rejected or rejected_ids' },
      { line: 5, id: 'a', problem: 'the id stands already on line 1' },
      { line: 6, id: 'd', problem: 'rejected: equals chosen' },
      { line: 7, id: null, problem: 'a row must be a JSON object' },
    ])
    expect(result.problem_count).toBe(5)
    expect(result.sample[0]).toEqual({ id: 'a', prompt: 'p', chosen: 'c', rejected: 'r' })
  })

  it('are measured with a model’s tokenizer', async () => {
    const long = 'printer '.repeat(400)
    const lines = [`{"id":"a","prompt":"${long}","completion":"c"}`, '{"id":"b","prompt":"p","completion":"c"}']
    expect((await check('demonstration', lines)).problems).toEqual([])
    const { problems } = await check('demonstration', lines, true)
    expect(problems).toEqual([{ line: 1, id: 'a', problem: expect.stringMatching(/more than the limit of 256/) }])
  })

  it('of ten thousand are all read, and the last one’s fault is found', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) =>
      JSON.stringify({ id: `№ ${index}`, prompt: `=1+${index} <b>${'word '.repeat(20)}</b>`, completion: `c${index}` }),
    )
    expect(await check('demonstration', rows, true)).toMatchObject({ rows: 10_000, problems: [], problem_count: 0 })
    rows[9_999] = '{"id":"№ 17","prompt":"p","completion":"c"}'
    const { problems, sample } = await check('demonstration', rows)
    expect(problems).toEqual([{ line: 10_000, id: '№ 17', problem: 'the id stands already on line 18' }])
    expect(sample.length).toBeLessThan(100)
  }, 60_000)

  it('list at most 200 problems and count all', async () => {
    const { problems, problem_count } = await check('prompt', new Array(450).fill('{"id":"same"}') as string[])
    expect([problems.length, problem_count]).toEqual([200, 450])
    expect(await check('prompt', [])).toMatchObject({ rows: 0, problem_count: 1 })
    await expect(ask('rows.check', { file: join(fake.root, 'none'), kind: 'pair' })).rejects.toThrow('none')
  })
})

describe('settings as text', () => {
  it('are checked with the line of the fault, and give what the text gives', async () => {
    expect(await ask('settings.check', { stage: 'study', yaml: 'seed: 3\n# more\nsft_epochs: 1\n' })).toEqual({
      values: { seed: 3, sft_epochs: 1 },
      problem: null,
      line: null,
    })
    expect(await ask('settings.check', { stage: 'sft', yaml: 'epochs: 1\n\nlerning_rate: 1' })).toEqual({
      values: null,
      problem: 'lerning_rate: unknown key, did you mean learning_rate?',
      line: 3,
    })
    expect(await ask('settings.check', { stage: 'ppo', yaml: 'gamma: 2' })).toMatchObject({ values: null, line: 1 })
    expect(await ask('settings.check', { stage: 'reward', yaml: 'a: [' })).toMatchObject({ values: null, line: 1 })
    expect(await ask('settings.check', { stage: 'study', yaml: '' })).toMatchObject({ values: {} })
  })
})

it('the corpus is previewed with its audit and its rows', async () => {
  const { audit, pairs, demonstrations, prompts, probes } = await ask('corpus.preview', { seed: 49 })
  expect(audit).toMatchObject({ pairs: 1200, seed: 49 })
  expect([pairs.length, demonstrations.length, prompts.length, probes.length]).toEqual([1200, 168, 672, 80])
  expect(pairs[0]?.prompt).toMatch(/OH000/)
})

it('models are the embedded one and those of the preferred folders, with what is wrong with them', async () => {
  const { preferences } = await ask('preferences.get', {})
  const folders = [resolve('test/golden/checkpoints'), join(fake.root, 'nowhere')]
  await ask('preferences.set', { ...preferences, model_folders: folders })
  const models = await ask('models.list', {})
  expect(models[0]).toMatchObject({ embedded: true, problem: null })
  expect(models.find(({ name }) => name === 'base_f32')).toMatchObject({ problem: null, embedded: false })
  expect(models.at(-1)).toMatchObject({ name: 'nowhere', problem: expect.stringMatching(/nowhere/) })
  expect(chosen.at(-1)?.model_folders).toEqual(folders)
})

describe('preferences', () => {
  it('are kept, and a damaged file is kept aside and said', async () => {
    const { preferences } = await ask('preferences.get', {})
    await ask('preferences.set', { ...preferences, theme: 'dark', threads: 2 })
    expect(await ask('preferences.get', {})).toMatchObject({ preferences: { theme: 'dark' }, warning: null })
    const file = join(fake.home, 'preferences.json')
    writeFileSync(file, '{"theme": "pink"')
    const found = await ask('preferences.get', {})
    expect(found.preferences.theme).toBe('system')
    expect(found.warning).toMatch(/is damaged: it was kept as preferences\.json\.damaged-1/)
    expect(readFileSync(`${file}.damaged-1`, 'utf8')).toBe('{"theme": "pink"')
    // Not only to whoever happens to read first.
    expect((await ask('preferences.get', {})).warning).toBe(found.warning)
    writeFileSync(file, '[]')
    expect((await ask('preferences.set', preferences)).warning).toMatch(/damaged-2/)
    expect(existsSync(`${file}.damaged-2`)).toBe(true)
    expect((await ask('preferences.get', {})).warning).toBe(null)
  })
})
