import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultDeskRules } from '../../shared/desk-rules.ts'
import { type JobRequest, jobRequestSchema } from '../../shared/ipc.ts'
import { type FakeBench, fakeBench } from './fake-bench.ts'
import { commandFor } from './job-command.ts'
import { prepareLearning } from './job-request.ts'
import { ppoSettings, turnPpoSettings } from './train-config.ts'
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

function prepared(changes: Readonly<Record<string, unknown>>) {
  const request = jobRequestSchema.parse({
    kind: 'train',
    stage: 'ppo',
    model: '/model',
    data: '/tasks.jsonl',
    out: '/out',
    device: 'cpu',
    threads: 1,
    ...changes,
  })
  const job = prepareLearning(bench, request as Extract<JobRequest, { kind: 'train' }>)
  if (job.kind !== 'train') throw new Error(job.kind)
  return job
}

describe('training at the desk', () => {
  it('is PPO over turns by PPO’s own settings, as the command takes them', () => {
    const job = prepared({ environment: 'desk', settings: { gamma: 0.9 } })
    const config = { ...ppoSettings({}), gamma: 0.9 }
    expect(job.config).toEqual(config)
    expect(job.request).toMatchObject({
      stage: 'turn-ppo',
      environment: { name: 'desk', rules: defaultDeskRules },
      ...turnPpoSettings(config),
    })
    const command = commandFor('/home', job)
    expect(command).toContain('train ppo --model /model')
    expect(command).toContain('--environment desk --config ppo.yaml')
    expect(command).toContain('gamma: 0.9')
    expect(command).not.toContain('--rules')
  })

  it('has the rules that were changed, and needs a reward model where its score has a weight', () => {
    const rules = { reward_model_weight: 0.5 }
    expect(() => prepared({ environment: 'desk', rules })).toThrow(/reward_adapter.*is needed/)
    const job = prepared({ stage: 'grpo', environment: 'desk', rules, reward_adapter: '/reward' })
    expect(job.request).toMatchObject({
      stage: 'grpo',
      rewardAdapter: '/reward',
      environment: { rules: { ...defaultDeskRules, reward_model_weight: 0.5 } },
    })
    const command = commandFor('/home', job)
    expect(command).toMatch(/^cat > rules\.yaml/)
    expect(command).toContain('reward_model_weight: 0.5')
    expect(command).toContain('--environment desk --rules rules.yaml --config grpo.yaml')
  })

  it('has no rules elsewhere', () => {
    expect(() => prepared({ rules: { horizon: 2 }, reward_adapter: '/reward' })).toThrow(/those of the desk/)
    expect(prepared({ reward_adapter: '/reward' }).request).not.toHaveProperty('environment')
  })
})
