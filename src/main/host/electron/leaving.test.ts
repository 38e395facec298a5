import { EventEmitter } from 'node:events'
import { beforeEach, describe, expect, it } from 'vitest'
import type { WindowEvent } from '../../../shared/ipc.ts'
import type { Leaving } from './dialogs.ts'
import { guardLeaving } from './leaving.ts'

const turn = () => new Promise((done) => setImmediate(done))

function application(platform: NodeJS.Platform) {
  const app = Object.assign(new EventEmitter(), { quit: () => {} })
  const listeners: ((event: WindowEvent) => void)[] = []
  const state = { running: false, visible: true, answer: 'stay' as Leaving, asked: 0, closed: 0, quits: 0 }
  app.quit = () => {
    const event = prevented()
    app.emit('before-quit', event)
    if (!event.stopped) state.quits += 1
  }
  const onClose = guardLeaving({
    app: app as never,
    platform,
    requests: {
      isRunning: () => state.running,
      subscribe: (listener) => {
        listeners.push(listener)
        return () => {}
      },
      close: async () => {
        state.closed += 1
        state.running = false
      },
    },
    window: () => ({
      hide: () => {
        state.visible = false
      },
      isVisible: () => state.visible,
    }),
    ask: async () => {
      state.asked += 1
      return state.answer
    },
  })
  const close = async () => {
    const event = prevented()
    onClose(event as never)
    await turn()
    return event.stopped
  }
  const tell = async () => {
    for (const listener of listeners) listener({ type: 'job', job: null })
    await turn()
  }
  return { app, state, close, tell }
}

function prevented() {
  const event = {
    stopped: false,
    preventDefault: () => {
      event.stopped = true
    },
  }
  return event
}

let shell: ReturnType<typeof application>
beforeEach(() => {
  shell = application('linux')
})

describe('closing the window', () => {
  it('ends the application, the store first, where nothing runs', async () => {
    await shell.close()
    expect(shell.state).toMatchObject({ asked: 0, closed: 1, quits: 1 })
  })

  it('asks where something runs, and stays when told so', async () => {
    shell.state.running = true
    expect(await shell.close()).toBe(true)
    expect(shell.state).toMatchObject({ asked: 1, closed: 0, quits: 0, visible: true })
  })

  it('asks once, however often it is clicked', async () => {
    shell.state.running = true
    void shell.close()
    await shell.close()
    expect(shell.state.asked).toBe(1)
  })

  it('stops the run and ends', async () => {
    Object.assign(shell.state, { running: true, answer: 'stop' })
    await shell.close()
    expect(shell.state).toMatchObject({ closed: 1, quits: 1 })
    expect(await shell.close()).toBe(false)
  })

  it('lets the run go on without a window, and ends when it has ended', async () => {
    Object.assign(shell.state, { running: true, answer: 'go-on' })
    await shell.close()
    expect(shell.state).toMatchObject({ visible: false, closed: 0, quits: 0 })
    await shell.tell()
    expect(shell.state.quits).toBe(0)
    shell.state.running = false
    await shell.tell()
    expect(shell.state).toMatchObject({ closed: 1, quits: 1 })
  })

  it('does not end a run that somebody has come back to look at', async () => {
    Object.assign(shell.state, { running: true, answer: 'go-on' })
    await shell.close()
    shell.state.visible = true
    await shell.tell()
    shell.state.running = false
    await shell.tell()
    expect(shell.state.quits).toBe(0)
  })

  it('on macOS leaves the application and its run alone; quitting asks', async () => {
    shell = application('darwin')
    shell.state.running = true
    expect(await shell.close()).toBe(false)
    expect(shell.state.asked).toBe(0)
    shell.app.quit()
    await turn()
    expect(shell.state).toMatchObject({ asked: 1, quits: 0 })
  })
})
