import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Bridge, WindowEvent } from '../../shared/ipc.ts'
import { AnswerStore } from './answer-store.ts'
import { ConnectionStore } from './connection-store.ts'

function fakeBridge() {
  const listeners = new Set<(event: WindowEvent) => void>()
  const calls: string[] = []
  let reply: () => Promise<unknown> = async () => ({ ok: true, value: [] })
  const bridge = {
    call: (name: string, parameters: unknown) => {
      calls.push(`${name} ${JSON.stringify(parameters)}`)
      return reply()
    },
    subscribe: (listener: (event: WindowEvent) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  } as unknown as Bridge
  return {
    bridge,
    calls,
    answer: (next: () => Promise<unknown>) => {
      reply = next
    },
    tell: (event: WindowEvent) => {
      for (const listener of listeners) listener(event)
    },
  }
}

const list = AnswerStore.key('studies.list', {})
const show = (id: string) => ({ study_id: id })
const flush = () => vi.advanceTimersByTimeAsync(300)

describe('answers', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('are asked once for all who want them', async () => {
    const { bridge, calls } = fakeBridge()
    const store = new AnswerStore(bridge)
    store.watch('studies.list', {}, () => {})
    store.watch('studies.list', {}, () => {})
    expect(store.peek(list).loading).toBe(true)
    await flush()
    expect(calls).toHaveLength(1)
    expect(store.peek(list)).toEqual({ value: [], error: undefined, loading: false })
  })

  it('keep the last value beside a later failure', async () => {
    const { bridge, answer } = fakeBridge()
    const store = new AnswerStore(bridge)
    store.watch('studies.list', {}, () => {})
    await flush()
    answer(async () => ({ ok: false, message: 'the store is locked' }))
    store.refresh(list)
    await flush()
    expect(store.peek(list)).toEqual({ value: [], error: 'the store is locked', loading: false })
  })

  it('are asked again when what they tell has changed, once for many changes', async () => {
    const { bridge, calls, tell } = fakeBridge()
    const store = new AnswerStore(bridge)
    store.watch('studies.show', show('a'), () => {})
    store.watch('studies.show', show('b'), () => {})
    store.watch('corpus.preview', { seed: 49 }, () => {})
    await flush()
    calls.length = 0
    for (let change = 0; change < 20; change += 1) tell({ type: 'changed', study_id: 'a' })
    await flush()
    expect(calls).toEqual(['studies.show {"study_id":"a"}'])
  })

  it('that nobody looks at wait until somebody does', async () => {
    const { bridge, calls, tell } = fakeBridge()
    const store = new AnswerStore(bridge)
    store.watch('studies.list', {}, () => {})()
    await flush()
    tell({ type: 'changed', study_id: null })
    await flush()
    expect(calls).toHaveLength(1)
    store.watch('studies.list', {}, () => {})
    await flush()
    expect(calls).toHaveLength(2)
  })

  it('that change while they are asked for are asked once more', async () => {
    const { bridge, calls, tell, answer } = fakeBridge()
    let settle = (_: unknown) => {}
    answer(
      () =>
        new Promise((resolve) => {
          settle = resolve
        }),
    )
    const store = new AnswerStore(bridge)
    store.watch('studies.list', {}, () => {})
    tell({ type: 'changed', study_id: null })
    await flush()
    expect(calls).toHaveLength(1)
    settle({ ok: true, value: [] })
    await flush()
    expect(calls).toHaveLength(2)
  })

  it('are all asked again after a lost connection', async () => {
    const { bridge, calls, tell } = fakeBridge()
    const store = new AnswerStore(bridge)
    const connection = new ConnectionStore(bridge, () => store.refreshAll())
    store.watch('doctor.run', {}, () => {})
    await flush()
    tell({ type: 'connection', connected: true })
    await flush()
    expect(calls).toHaveLength(1)
    tell({ type: 'connection', connected: false })
    expect(connection.connected()).toBe(false)
    tell({ type: 'connection', connected: true })
    await flush()
    expect(connection.connected()).toBe(true)
    expect(calls).toHaveLength(2)
  })
})
