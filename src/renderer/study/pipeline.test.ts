import { describe, expect, it } from 'vitest'
import { fixtureDocument } from '../../main/report/fixture/study-document.ts'
import type { JobView } from '../../shared/ipc.ts'
import type { StudyDocument } from '../../shared/study-document.ts'
import { pipelineOf } from './pipeline.ts'

const finished = fixtureDocument()

function stoppedInPpo(): StudyDocument {
  return {
    ...finished,
    status: 'interrupted',
    results: null,
    stages: finished.stages.map((stage) =>
      stage.name === 'ppo'
        ? { ...stage, status: 'interrupted', updates: 80, total: 200 }
        : ['evaluation', 'probes', 'report'].includes(stage.name)
          ? { ...stage, status: 'queued', updates: 0 }
          : stage,
    ),
  }
}

const job = (state: JobView['state']): JobView => ({
  kind: 'resume',
  title: finished.name,
  study_id: finished.study_id,
  run_id: null,
  started_at: '2026-03-04T12:00:00Z',
  state,
  message: null,
  progress: {
    study_id: finished.study_id,
    run_id: null,
    stage: 'ppo',
    phase: 'rollout',
    done: 41,
    total: 100,
    value: 0.41,
    rate: null,
    seconds_left: null,
    state: 'running',
    suspended_seconds: 0,
    metrics: {},
  },
})

describe('the pipeline', () => {
  it('has six cards in order, each with its figure once the study is finished', () => {
    const cards = pipelineOf(finished, null)
    expect(cards.map(({ title }) => title)).toEqual(['Data', 'SFT', 'Reward model', 'PPO', 'Evaluation', 'Probes'])
    expect(cards.map(({ figure }) => figure !== null)).toEqual([true, true, true, true, true, true])
    expect(cards.some(({ due }) => due)).toBe(false)
  })

  it('says where an interrupted study goes on, and how far it had come', () => {
    const cards = pipelineOf(stoppedInPpo(), null)
    expect(cards.filter(({ due }) => due).map(({ name }) => name)).toEqual(['ppo'])
    expect(cards[3]).toMatchObject({ state: 'interrupted', progress: { done: 80, total: 200, share: 0.4 } })
    expect(cards[4]?.figure).toBeNull()
    expect(cards[4]?.open).toBeNull()
  })

  it('follows the job that works on this study, and no other', () => {
    expect(pipelineOf(stoppedInPpo(), job('paused'))[3]).toMatchObject({ state: 'paused', progress: { done: 41 } })
    expect(pipelineOf(stoppedInPpo(), { ...job('running'), study_id: 'another' })[3]?.state).toBe('interrupted')
  })
})
