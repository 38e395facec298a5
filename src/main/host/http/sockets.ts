/** The sockets of all open windows: each request answered on the socket it came from, events told to all. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { SocketMessage, SocketRequest } from '../../../shared/socket-messages.ts'
import { answer } from '../answer.ts'
import type { WindowRequests } from '../requests.ts'

/** Larger than any request needs to be. */
const largestMessage = 1024 * 1024
const heartbeatMs = 30_000
/** Closing, by the socket's own number for "the peer goes away". */
const goingAway = 1001

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: largestMessage })
  readonly #requests: WindowRequests
  readonly #unsubscribe: () => void
  readonly #alive = new WeakSet<WebSocket>()
  readonly #beating: ReturnType<typeof setInterval>

  constructor(requests: WindowRequests) {
    this.#requests = requests
    this.#unsubscribe = requests.subscribe((event) => {
      for (const socket of this.#server.clients) send(socket, { event })
    })
    this.#beating = setInterval(() => this.#beat(), heartbeatMs)
    this.#beating.unref()
  }

  accept(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      this.#alive.add(socket)
      socket.on('pong', () => this.#alive.add(socket))
      socket.on('error', () => socket.terminate())
      socket.on('message', (data) => void this.#answer(socket, String(data)))
      // A window that comes back must not wait for the next change to know what runs.
      void this.#requests.handlers['jobs.current']({}).then(
        (job) => send(socket, { event: { type: 'job', job } }),
        () => {},
      )
    })
  }

  async #answer(socket: WebSocket, text: string): Promise<void> {
    const request = parsed(text)
    if (request === undefined) {
      socket.close(1008, 'not a request')
      return
    }
    const reply = await answer(this.#requests.handlers, request.name, request.parameters)
    send(socket, { id: request.id, reply })
  }

  /** A peer that has silently gone keeps its socket open for hours; one unanswered ping ends it. */
  #beat(): void {
    for (const socket of this.#server.clients) {
      if (!this.#alive.delete(socket)) socket.terminate()
      else socket.ping()
    }
  }

  close(): void {
    clearInterval(this.#beating)
    this.#unsubscribe()
    for (const socket of this.#server.clients) {
      socket.close(goingAway, 'the workbench has ended')
      socket.terminate()
    }
    this.#server.close()
  }
}

function send(socket: WebSocket, message: SocketMessage): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message), () => {})
}

function parsed(text: string): SocketRequest | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('id' in value) || !('name' in value)) return undefined
    const { id, name } = value
    if (typeof id !== 'number' || typeof name !== 'string') return undefined
    return { id, name, parameters: 'parameters' in value ? value.parameters : undefined }
  } catch {
    return undefined
  }
}
