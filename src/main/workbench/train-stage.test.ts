import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BadInput } from '../../shared/bad-input.ts'
import { type FakeBench, fakeBench } from './fake-bench.ts'
import { JobControl } from './job-control.ts'
import { type TrainRequest, trainStage } from './train-stage.ts'
import type { Workbench } from './workbench.ts'

let fake: FakeBench
let bench: Workbench
let data: string
beforeEach(() => {
  fake = fakeBench()
  bench = fake.open()
  data = join(fake.root, 'rows.jsonl')
  writeFileSync(data, [1, 2, 3, 4, 5].map((n) => `{"id":"r${n}","prompt":"p","completion":"c"}\n`).join(''))
})
afterEach(() => {
  bench.close()
  rmSync(fake.root, { recursive: true, force: true })
})

const request = (changes: Partial<TrainRequest> = {}): TrainRequest => ({
  stage: 'sft',
  model: fake.model,
  data,
  out: join(fake.root, 'out'),
  config: { epochs: 2, accumulation_examples: 1 },
  threads: 1,
  ...changes,
})

const message = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was thrown',
    (error: Error) => (error instanceof BadInput ? error.message : `not bad input: ${error.message}`),
  )

describe('training on own rows', () => {
  it('hands the adapter over and reports every update', async () => {
    const outcome = await trainStage(bench, request())
    expect(outcome.updates).toBe(10)
    expect(outcome.history).toHaveLength(10)
    expect(outcome.history[0]).toMatchObject({ update: 1, learning_rate: 1, grad_norm: expect.any(Number) })
    expect(outcome.final_learned_sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(existsSync(join(fake.root, 'out', 'adapter_model.safetensors'))).toBe(true)
    const twice = await trainStage(bench, request({ out: join(fake.root, 'twice') }))
    expect(twice.run_id).not.toBe(outcome.run_id)
    expect(twice.final_learned_sha256).toBe(outcome.final_learned_sha256)
  })

  it('trains PPO from a policy and a reward model, with all roles in the answer', async () => {
    await trainStage(bench, request({ out: join(fake.root, 'policy') }))
    await trainStage(bench, request({ stage: 'reward', out: join(fake.root, 'reward') }))
    const ppo = request({ stage: 'ppo', config: { rollout_iterations: 3 }, initAdapter: join(fake.root, 'policy') })
    expect(await message(trainStage(bench, ppo))).toContain('--reward-adapter: is needed')
    const outcome = await trainStage(bench, { ...ppo, rewardAdapter: join(fake.root, 'reward') })
    expect(outcome.updates).toBe(6)
    expect(Object.keys(outcome.final_learned_sha256)).toEqual(['actor', 'reference', 'reward', 'critic'])
    expect(outcome.history[0]).toMatchObject({ update: 1, loss: expect.any(Number), critic_loss: expect.any(Number) })
    expect(existsSync(join(fake.root, 'out', 'critic', 'adapter_model.safetensors'))).toBe(true)
  })

  it('leaves nothing in the folder when stopped, and goes on with the same request', async () => {
    fake.plan({ delayMs: 60 })
    const control = new JobControl()
    const stopped = trainStage(bench, request(), { control, onProgress: ({ done }) => done >= 3 && control.stop() })
    await expect(stopped).rejects.toThrow('stopped')
    expect(existsSync(join(fake.root, 'out'))).toBe(false)
    const notes: string[] = []
    const outcome = await trainStage(bench, request(), { onNote: (note) => notes.push(note) })
    expect(notes).toEqual([`continuing ${outcome.run_id}`])
    const whole = await trainStage(bench, request({ out: join(fake.root, 'whole') }))
    expect(outcome.history).toEqual(whole.history)
    expect(outcome.final_learned_sha256).toBe(whole.final_learned_sha256)
  })

  it('names the file of the user, not its copy', async () => {
    fake.plan({ stage: 'sft', fault: 'bad-input' })
    expect(await message(trainStage(bench, request()))).toBe(`${data}: prompt is too long (row r7)`)
  })

  it('refuses what it cannot use before it begins', async () => {
    const refused = async (changes: Partial<TrainRequest>) => message(trainStage(bench, request(changes)))
    mkdirSync(join(fake.root, 'full'))
    writeFileSync(join(fake.root, 'full', 'a'), 'kept')
    expect(await refused({ out: join(fake.root, 'full') })).toContain('is not empty')
    expect(await refused({ out: data })).toContain('is a file')
    expect(await refused({ data: join(fake.root, 'none.jsonl') })).toContain('does not exist')
    expect(await refused({ data: fake.root })).toContain('is a folder')
    expect(await refused({ config: { epoch: 1 }, configSource: 'c.yaml' })).toBe(
      'c.yaml: is not a setting of this stage (epoch)',
    )
    expect(await refused({ config: { epochs: 0 }, configSource: 'c.yaml' })).toMatch(/c.yaml: .*\(epochs\)/)
    expect(await refused({ initAdapter: join(fake.root, 'none') })).toContain('does not exist')
    expect(readFileSync(join(fake.root, 'full', 'a'), 'utf8')).toBe('kept')
    expect(existsSync(join(bench.home, 'runs'))).toBe(false)
  })
})
