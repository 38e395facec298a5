import { describe, expect, it } from 'vitest'
import { fixtureDocument } from '../../main/report/fixture/study-document.ts'
import type { RunView } from '../../shared/ipc.ts'
import { configRows } from './config-rows.ts'
import { healthOf } from './health.ts'
import { measure, measuresOf, stepDomain } from './measures.ts'
import { phasesOf } from './phases.ts'
import { runCharts } from './run-charts.ts'

const document = fixtureDocument()
const stage = (name: string) => document.runs.find((run) => run.stage === name)!
const ppoView = (): RunView => ({
  run: stage('ppo'),
  study_id: document.study_id,
  preset: 'embedded',
  updates: [],
  ppo_updates: document.curves.ppo,
  iterations: document.iterations,
  validations: [],
  memory: [2, 4, 6].map((update) => ({ update, rss_bytes: (200 + update) * 1e6 })),
})
const rewardView = (): RunView => ({
  run: stage('reward'),
  study_id: null,
  preset: null,
  updates: document.curves.reward,
  ppo_updates: [],
  iterations: [],
  validations: document.curves.reward_validation,
  memory: [],
})

describe('measures of a run', () => {
  it('put what is recorded once an iteration at its last update', () => {
    const reward = measure(measuresOf(ppoView()), 'learned-reward')!
    expect(reward.points).toHaveLength(100)
    expect(reward.points[0]).toEqual({ x: 2, y: document.iterations[0]!.mean_learned_reward })
    expect(reward.points.at(-1)?.x).toBe(200)
    expect(stepDomain(ppoView())).toEqual([1, 200])
  })

  it('put validation at the end of its epoch', () => {
    const validation = measure(measuresOf(rewardView()), 'validation-loss')!
    expect(validation.points.map(({ x }) => x)).toEqual([105, 210])
  })

  it('leave a gap where nothing was judged', () => {
    const view = ppoView()
    const unjudged = { ...view, iterations: view.iterations.map((point) => ({ ...point, rubric_judged: 0 })) }
    expect(measure(measuresOf(unjudged), 'rubric')!.points.every(({ y }) => y === null)).toBe(true)
    expect(runCharts(unjudged).map(({ name }) => name)).not.toContain('rubric')
  })

  it('have charts for each stage, empty ones before the first update', () => {
    expect(runCharts(ppoView())).toHaveLength(14)
    expect(runCharts(rewardView()).map(({ name }) => name)).toEqual(['loss', 'accuracy', 'grad-norm', 'learning-rate'])
    const begun = { ...rewardView().run, updates: 0 }
    expect(runCharts({ ...rewardView(), run: begun, updates: [], validations: [] })).toHaveLength(5)
  })

  it('have memory in MB over the updates it was taken after', () => {
    expect(measure(measuresOf(ppoView()), 'memory')!.points).toEqual([
      { x: 2, y: 202 },
      { x: 4, y: 204 },
      { x: 6, y: 206 },
    ])
  })
})

describe('health', () => {
  const named = (view: RunView, name: string) => healthOf(view).find((check) => check.name === name)!

  it('is told in states and figures', () => {
    const view = ppoView()
    expect(healthOf(view).map(({ state }) => state)).not.toContain('bad')
    const last = view.ppo_updates.at(-1)!
    const wild = { ...view, ppo_updates: [...view.ppo_updates, { ...last, ratio_max: 3 }] }
    expect(named(wild, 'Ratio in range')).toMatchObject({ state: 'watch' })
    const wilder = { ...view, ppo_updates: [...view.ppo_updates, { ...last, ratio_max: Number.NaN }] }
    expect(named(wilder, 'Ratio in range').state).toBe('bad')
    expect(named(wilder, 'Non-finite')).toMatchObject({ state: 'bad', figure: expect.stringMatching(/^1 of/) })
  })

  it('counts truncation by what the sampler said', () => {
    const view = ppoView()
    const cut = { ...view, iterations: view.iterations.map((point) => ({ ...point, without_eos: 4 })) }
    expect(named(cut, 'Truncated')).toMatchObject({ state: 'bad', figure: '100%, 40 of 40' })
  })

  it('sees a frozen role that moved', () => {
    const view = ppoView()
    const hashes = (reference: string) => ({ reference, ppo_reward: 'r' })
    const run = (end: string) => ({
      ...view,
      run: { ...view.run, initial_learned_sha256: hashes('a'), final_learned_sha256: hashes(end) },
    })
    expect(named(run('a'), 'Frozen parts')).toMatchObject({ state: 'good', figure: '2 unchanged' })
    expect(named(run('b'), 'Frozen parts')).toMatchObject({ state: 'bad', figure: 'reference changed' })
  })

  it('waits before the first update', () => {
    const view = { ...ppoView(), ppo_updates: [], iterations: [] }
    expect(named({ ...view, run: { ...view.run, status: 'running' } }, 'Ratio in range').state).toBe('waiting')
    // What has ended waits for nothing.
    expect(named({ ...view, run: { ...view.run, status: 'finished' } }, 'Ratio in range').state).toBe('none')
  })
})

describe('the configuration', () => {
  it('is set against the preset under the stage’s names', () => {
    const rows = configRows(
      { learning_rate: 0.5, seed: 49, own: true },
      { kind: 'preset', name: 'embedded', stage: 'sft' },
    )
    expect(rows.find((row) => row.name === 'learning_rate')).toMatchObject({ differs: true })
    expect(rows.find((row) => row.name === 'seed')).toMatchObject({ differs: false })
    expect(rows.find((row) => row.name === 'own')).toMatchObject({ other: undefined, differs: false })
  })

  it('is set against another run by name', () => {
    const rows = configRows({ seed: 49 }, { kind: 'run', config: { seed: 50, gone: 1 } })
    expect(rows).toEqual([
      { name: 'gone', value: undefined, other: 1, differs: true },
      { name: 'seed', value: 49, other: 50, differs: true },
    ])
  })
})

describe('phases', () => {
  it('count the whole once', () => {
    expect(phasesOf({ critic_step: 2, judge: 1, active: 4 })).toEqual({
      total: 4,
      parts: [
        { name: 'critic step', seconds: 2 },
        { name: 'judge', seconds: 1 },
        { name: 'starting and saving', seconds: 1 },
      ],
    })
    expect(phasesOf({ judge: 1 }).total).toBe(1)
    expect(phasesOf({})).toEqual({ total: 0, parts: [] })
  })
})
