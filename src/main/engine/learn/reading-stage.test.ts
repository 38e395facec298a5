/** A stage that only reads: one whole result or none, and learned states as they were. */
import { expect, test } from 'vitest'
import { readingStage } from './reading-stage.ts'
import { freshRole } from './role.ts'
import { openStage } from './stage-context.ts'
import { StageRun } from './stage-run.ts'

const base = new URL('../../../../test/golden/checkpoints/base_f32', import.meta.url).pathname
const context = await openStage({ base, device: 'cpu', threads: 1, weightCache: '' })
const role = () => freshRole(context.base, { rank: 2, alpha: 4, head: 'none', seed: 1 })
const about = { stage: 'credit-audit', phase: 'audit', context } as const

test('the result is written once, and the summary names what was read', async () => {
  const written: number[] = []
  const summary = await readingStage(
    {
      ...about,
      roles: { policy: role(), reward: null },
      read: async (report) => {
        await report('audit', 1, 2)
        return 7
      },
      write: (value) => written.push(value),
      parametersOf: (value) => value * 10,
    },
    new StageRun(() => {}),
  )
  expect(written).toEqual([7])
  expect(summary).toMatchObject({ status: 'finished', trainableParameters: 70, updates: 0 })
  expect(Object.keys(summary.learnedSha256)).toEqual(['policy'])
  expect(summary.learnedSha256).toEqual(summary.initialSha256)
})

test('a stop between two batches writes nothing, and is no failure', async () => {
  const run = new StageRun(() => {})
  const written: number[] = []
  const summary = await readingStage(
    {
      ...about,
      roles: { policy: role() },
      read: async (report) => {
        run.stop()
        await report('audit', 1, 2)
        return 7
      },
      write: (value) => written.push(value),
    },
    run,
  )
  expect(written).toEqual([])
  expect(summary).toMatchObject({ status: 'interrupted', trainableParameters: 0 })
})

test('a learned state that changed while it was only read is an error', async () => {
  const policy = role()
  const reading = readingStage(
    {
      ...about,
      roles: { policy },
      read: async () => {
        policy.state.data[0] = 1
        return 7
      },
      write: () => {},
    },
    new StageRun(() => {}),
  )
  await expect(reading).rejects.toThrow('the policy changed while it was only read')
})
