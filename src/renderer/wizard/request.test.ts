import { describe, expect, it } from 'vitest'
import { jobRequestSchema } from '../../shared/ipc.ts'
import { type Draft, emptyDraft, type StageWizard, settingsOf } from './draft.ts'
import { wanted } from './request.ts'

const embedded = '/models/embedded'
const ask = (wizard: StageWizard, change: Partial<Draft> = {}) => wanted(wizard, { ...emptyDraft, ...change }, embedded)

describe('a study', () => {
  it('needs nothing but a model', () => {
    expect(ask('data').request).toEqual({ kind: 'study', preset: 'embedded' })
    expect(wanted('data', emptyDraft, '').missing).toEqual([{ what: 'a model' }])
  })

  it('says only what differs', () => {
    const { request } = ask('ppo', {
      name: ' office ',
      preset: 'minimum',
      model: '/models/qwen',
      changes: { kl_coefficient: 0 },
      verifyResume: true,
      device: 'cpu',
      threads: 2,
      data: '/ignored',
    })
    expect(request).toEqual({
      kind: 'study',
      preset: 'minimum',
      model: '/models/qwen',
      name: 'office',
      verify_resume: true,
      settings: { kl_coefficient: 0 },
      device: 'cpu',
      threads: 2,
    })
  })

  it('with the reference settings names its model', () => {
    expect(ask('data', { preset: 'minimum' }).request).toEqual({ kind: 'study', preset: 'minimum', model: embedded })
  })

  it('that stands still is resumed by its id alone', () => {
    expect(ask('probes', { target: 'resume' }).missing).toEqual([{ what: 'a study to go on with' }])
    const resumed = { target: 'resume', study: 'study-1', changes: { seed: 3 } } as const
    expect(ask('probes', resumed).request).toEqual({ kind: 'resume', study_id: 'study-1' })
  })
})

describe('a stage on rows of one’s own', () => {
  it('names what is missing and which wizard makes it', () => {
    const { missing } = ask('ppo', { target: 'rows', data: '/prompts.jsonl' })
    expect(missing.map(({ madeBy }) => madeBy)).toEqual(['sft', 'reward', undefined])
    expect(ask('sft', { target: 'rows' }).missing).toHaveLength(2)
  })

  it('names the trainer of a group, and where its rollouts come from', () => {
    const full = { target: 'rows', data: '/d', out: '/o', initAdapter: '/a', rewardAdapter: '/r' } as const
    expect(ask('group', { ...full, method: 'datc' }).request).toMatchObject({ stage: 'datc', reward_adapter: '/r' })
    const desk = { ...full, rewardAdapter: '', environment: 'desk' } as const
    expect(ask('group', desk).request).toMatchObject({ stage: 'grpo', environment: 'desk' })
    // Its credit is read from a reward model, whoever judges.
    expect(ask('group', { ...desk, method: 'red' }).missing).toEqual([
      { what: 'the adapter of a reward model', madeBy: 'reward' },
    ])
    expect(ask('dpo', { target: 'rows', data: '/d', out: '/o', validation: '/v' }).request).toEqual({
      kind: 'train',
      stage: 'dpo',
      model: embedded,
      data: '/d',
      out: '/o',
      validation: '/v',
    })
  })

  it('plays at the desk by its rules, PPO too, and needs a reward model where its score has a weight', () => {
    const desk = { target: 'rows', data: '/d', out: '/o', initAdapter: '/a', environment: 'desk' } as const
    expect(ask('ppo', desk).request).toMatchObject({ stage: 'ppo', environment: 'desk' })
    expect(ask('ppo', desk).request).not.toHaveProperty('rules')
    expect(ask('ppo', { ...desk, target: 'study' }).request).toEqual({ kind: 'study', preset: 'embedded' })
    expect(ask('ppo', { ...desk, data: '' }).missing).toEqual([{ what: 'a file of tasks' }])
    const weighed = { ...desk, rules: { reward_model_weight: 0.5, rubric_weight: 1 } }
    expect(ask('ppo', weighed).missing).toEqual([{ what: 'the adapter of a reward model', madeBy: 'reward' }])
    const { request } = ask('group', { ...weighed, rewardAdapter: '/r' })
    expect(request).toMatchObject({ stage: 'grpo', reward_adapter: '/r', rules: { reward_model_weight: 0.5 } })
    expect(request).not.toHaveProperty('rules.rubric_weight')
    expect(jobRequestSchema.safeParse(request).success).toBe(true)
  })

  it('leaves out what its stage has no use for', () => {
    const full = {
      target: 'rows',
      data: '/d.jsonl',
      validation: '/v.jsonl',
      initAdapter: '/a',
      rewardAdapter: '/r',
      out: '/o',
    } as const
    expect(ask('ppo', full).request).not.toHaveProperty('validation')
    expect(ask('reward', full).request).not.toHaveProperty('reward_adapter')
  })
})

it('every request fits the contract', () => {
  const requests = [
    ask('data').request,
    ask('sft', { target: 'rows', data: '/d', out: '/o', changes: { epochs: 1 } }).request,
    ask('ppo', { target: 'rows', data: '/d', out: '/o', initAdapter: '/a', rewardAdapter: '/r' }).request,
    ask('probes', { target: 'resume', study: 's' }).request,
    ask('group', { target: 'rows', data: '/d', out: '/o', initAdapter: '/a', rewardAdapter: '/r', method: 'rloo' })
      .request,
    ask('dpo', { target: 'rows', data: '/d', out: '/o', changes: { beta: 0.2 } }).request,
  ]
  for (const request of requests) expect(jobRequestSchema.safeParse(request).success).toBe(true)
})

it('only what is still open can be set', () => {
  expect(settingsOf('sft', emptyDraft)).toBe('study')
  expect(settingsOf('sft', { ...emptyDraft, target: 'rows' })).toBe('sft')
  expect(settingsOf('probes', { ...emptyDraft, target: 'resume' })).toBeNull()
})
