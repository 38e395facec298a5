/**
 * The bridge of a window in a browser: requests and events over one loopback socket. A lost connection is tried again,
 * ever more slowly; a request is answered or fails in words, and is never sent twice.
 */
import type { Answers, Bridge, Reply, RequestName, RequestParameters, WindowEvent } from './ipc.ts'
import { type SocketMessage, type SocketRequest, socketPath } from './socket-messages.ts'

/** What is used of a WebSocket. */
export interface SocketLike {
  readonly readyState: number
  send(text: string): void
  close(): void
  onopen: (() => void) | null
  onmessage: ((event: { readonly data: unknown }) => void) | null
  onclose: (() => void) | null
}

export interface SocketBridgeOptions {
  /** Default: the page's own host. */
  readonly open?: () => SocketLike
  /** How long a request waits for a connection, in milliseconds. */
  readonly patience?: number
  readonly firstDelay?: number
  readonly longestDelay?: number
}

const lost = 'the connection to the workbench was lost before it answered; look again whether it was done'
const unreachable = 'the workbench cannot be reached; is it still running in its terminal?'

export function socketBridge(options: SocketBridgeOptions = {}): Bridge {
  const { open = openSocket, patience = 10_000, firstDelay = 250, longestDelay = 10_000 } = options
  const listeners = new Set<(event: WindowEvent) => void>()
  const sent = new Map<number, (reply: Reply<never>) => void>()
  const waiting = new Map<number, { readonly send: () => void; readonly timer: ReturnType<typeof setTimeout> }>()
  let socket: SocketLike | undefined
  let connected = false
  let delay = firstDelay
  let number = 0

  const tell = (event: WindowEvent) => {
    for (const listener of listeners) listener(event)
  }

  function connect(): void {
    const current = open()
    socket = current
    current.onopen = () => {
      connected = true
      delay = firstDelay
      tell({ type: 'connection', connected: true })
      for (const [id, { send, timer }] of waiting) {
        clearTimeout(timer)
        waiting.delete(id)
        send()
      }
    }
    current.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as SocketMessage
      if ('event' in message) return tell(message.event)
      const settle = sent.get(message.id)
      sent.delete(message.id)
      settle?.(message.reply as Reply<never>)
    }
    current.onclose = () => {
      if (connected) tell({ type: 'connection', connected: false })
      connected = false
      for (const [id, settle] of sent) {
        sent.delete(id)
        settle({ ok: false, message: lost })
      }
      setTimeout(connect, delay)
      delay = Math.min(delay * 2, longestDelay)
    }
  }

  function call<Name extends RequestName>(
    name: Name,
    parameters: RequestParameters<Name>,
  ): Promise<Reply<Answers[Name]>> {
    number += 1
    const id = number
    return new Promise((resolve) => {
      const send = () => {
        sent.set(id, resolve as (reply: Reply<never>) => void)
        const request: SocketRequest = { id, name, parameters }
        socket?.send(JSON.stringify(request))
      }
      if (connected) return send()
      const timer = setTimeout(() => {
        waiting.delete(id)
        resolve({ ok: false, message: unreachable })
      }, patience)
      waiting.set(id, { send, timer })
    })
  }

  connect()
  return {
    call,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The token has done its work once the page is loaded: it leaves the address bar and the history. */
function openSocket(): SocketLike {
  const { location, history } = window
  const address = new URL(location.href)
  if (address.searchParams.has('token')) {
    address.searchParams.delete('token')
    history.replaceState(history.state, '', address.href)
  }
  return new WebSocket(`ws://${location.host}${socketPath}`) as SocketLike
}
