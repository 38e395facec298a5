import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WindowEvent } from './ipc.ts'
import { type SocketLike, socketBridge } from './socket-bridge.ts'

class FakeSocket implements SocketLike {
  readyState = 0
  readonly sent: { id: number; name: string }[] = []
  onopen: (() => void) | null = null
  onmessage: ((event: { readonly data: unknown }) => void) | null = null
  onclose: (() => void) | null = null
  send(text: string): void {
    this.sent.push(JSON.parse(text) as { id: number; name: string })
  }
  close(): void {
    this.onclose?.()
  }
  say(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) })
  }
}

let sockets: FakeSocket[]
const open = () => {
  const socket = new FakeSocket()
  sockets.push(socket)
  return socket
}

beforeEach(() => {
  vi.useFakeTimers()
  sockets = []
})
afterEach(() => vi.useRealTimers())

describe('the socket bridge', () => {
  it('keeps requests until it is connected, then matches answers to them in any order', async () => {
    const bridge = socketBridge({ open })
    const first = bridge.call('studies.list', {})
    const second = bridge.call('runs.list', {})
    expect(sockets[0]?.sent).toEqual([])
    sockets[0]?.onopen?.()
    expect(sockets[0]?.sent.map(({ name }) => name)).toEqual(['studies.list', 'runs.list'])
    sockets[0]?.say({ id: 2, reply: { ok: true, value: ['run'] } })
    sockets[0]?.say({ id: 1, reply: { ok: false, message: 'no' } })
    expect(await second).toEqual({ ok: true, value: ['run'] })
    expect(await first).toEqual({ ok: false, message: 'no' })
  })

  it('fails what was under way when the connection is lost, and never sends it twice', async () => {
    const bridge = socketBridge({ open, firstDelay: 100 })
    sockets[0]?.onopen?.()
    const reply = bridge.call('jobs.start', { kind: 'study', preset: 'embedded' })
    sockets[0]?.close()
    expect(await reply).toMatchObject({ ok: false, message: expect.stringMatching(/lost/) })
    vi.advanceTimersByTime(100)
    sockets[1]?.onopen?.()
    expect(sockets[1]?.sent).toEqual([])
  })

  it('tries again ever more slowly, tells of it, and goes on', async () => {
    const bridge = socketBridge({ open, firstDelay: 100, longestDelay: 400 })
    const events: WindowEvent[] = []
    const end = bridge.subscribe((event) => events.push(event))
    sockets[0]?.onopen?.()
    for (const [index, delay] of [100, 200, 400, 400].entries()) {
      sockets[index]?.close()
      vi.advanceTimersByTime(delay - 1)
      expect(sockets).toHaveLength(index + 1)
      vi.advanceTimersByTime(1)
      expect(sockets).toHaveLength(index + 2)
    }
    const waiting = bridge.call('studies.list', {})
    sockets[4]?.onopen?.()
    sockets[4]?.say({ event: { type: 'job', job: null } })
    sockets[4]?.say({ id: 1, reply: { ok: true, value: [] } })
    expect(await waiting).toEqual({ ok: true, value: [] })
    expect(events).toEqual([
      { type: 'connection', connected: true },
      { type: 'connection', connected: false },
      { type: 'connection', connected: true },
      { type: 'job', job: null },
    ])
    end()
    sockets[4]?.say({ event: { type: 'job', job: null } })
    expect(events).toHaveLength(4)
  })

  it('gives up a request that finds no connection in time', async () => {
    const bridge = socketBridge({ open, patience: 500 })
    const reply = bridge.call('studies.list', {})
    vi.advanceTimersByTime(500)
    expect(await reply).toMatchObject({ ok: false, message: expect.stringMatching(/cannot be reached/) })
    sockets[0]?.onopen?.()
    expect(sockets[0]?.sent).toEqual([])
  })
})
