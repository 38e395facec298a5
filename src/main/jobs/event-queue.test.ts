import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { StageEvent } from '../../shared/stage.ts'
import { EventQueue } from './event-queue.ts'

const progress = (done: number): StageEvent => ({ type: 'progress', phase: 'training', done, total: 9 })
const committed = (done: number): StageEvent => ({
  type: 'committed',
  done,
  total: 9,
  journalBytes: done * 10,
  metrics: {},
})

it('delivers in a later turn, the latest of what piled up, in order and around what must not be lost', async () => {
  const seen: StageEvent[] = []
  const queue = new EventQueue((event) => seen.push(event))
  const ready: StageEvent = { type: 'ready', device: 'cpu', deviceReason: '', threads: 1 }
  for (const event of [ready, progress(1), committed(1), progress(2), committed(2), { type: 'paused' } as const]) {
    queue.push(event)
  }
  for (const event of [progress(3), committed(3), progress(4)]) queue.push(event)
  expect(seen).toEqual([])
  await turn()
  expect(seen).toEqual([ready, progress(2), committed(2), { type: 'paused' }, committed(3), progress(4)])
  await turn()
  expect(seen).toHaveLength(6)
})

it('delivers the rest at once when the stage ends', () => {
  const seen: StageEvent[] = []
  const queue = new EventQueue((event) => seen.push(event))
  queue.push(committed(1))
  queue.flush()
  expect(seen).toEqual([committed(1)])
})
