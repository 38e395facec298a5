import { describe, expect, it } from 'vitest'
import type { JobView } from '../../shared/ipc.ts'
import { announcement, jobWords } from './job-words.ts'

const progress: NonNullable<JobView['progress']> = {
  study_id: 'study-1',
  run_id: 'run-1',
  stage: 'ppo',
  phase: 'rollout',
  done: 62,
  total: 100,
  value: 0.62,
  rate: 0.5,
  seconds_left: 70,
  state: 'running',
  suspended_seconds: 0,
  metrics: {},
}
const job = (change: Partial<JobView> = {}): JobView => ({
  kind: 'study',
  title: 'office-help',
  study_id: 'study-1',
  run_id: 'run-1',
  started_at: '2026-03-04T12:00:00Z',
  state: 'running',
  message: null,
  progress,
  ...change,
})

describe('the job in words', () => {
  it('names stage, count and time left', () => {
    expect(jobWords(job())).toMatchObject({ what: 'PPO', figure: '62 / 100', left: '1 m 10 s left', value: 0.62 })
  })

  it('says no time left that is not known', () => {
    expect(jobWords(job({ progress: { ...progress, seconds_left: null } })).left).toBeNull()
    expect(jobWords(job({ state: 'paused' })).left).toBeNull()
    expect(jobWords(job({ state: 'stopping' })).left).toBeNull()
  })

  it('has nothing to count before the first progress or at the end', () => {
    expect(jobWords(job({ state: 'waiting', progress: null }))).toMatchObject({
      what: 'office-help',
      figure: null,
      value: null,
    })
    expect(jobWords(job({ state: 'finished' }))).toMatchObject({ what: 'office-help', figure: null })
  })

  it('says why it failed and how long the machine slept', () => {
    expect(jobWords(job({ state: 'failed', message: 'out of memory' })).note).toBe('out of memory')
    expect(jobWords(job({ progress: { ...progress, suspended_seconds: 3600 } })).note).toBe('slept 1 h')
  })

  it('is announced by state and stage alone', () => {
    expect(announcement(job())).toBe('office-help: PPO, rollout')
    expect(announcement(job({ progress: { ...progress, done: 63 } }))).toBe(announcement(job()))
    expect(announcement(job({ state: 'stopping', message: 'after this update' }))).toContain('after this update')
  })
})
