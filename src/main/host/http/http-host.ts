/** The workbench on loopback HTTP: pages and files behind the gate, requests and events over one socket path. */
import { createReadStream } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BadInput } from '../../../shared/bad-input.ts'
import { socketPath } from '../../../shared/socket-messages.ts'
import { headersFor } from '../content-policy.ts'
import type { WindowRequests } from '../requests.ts'
import { type ServedPlaces, servedFile } from '../served-file.ts'
import { type Admission, Gate } from './gate.ts'
import { Sockets } from './sockets.ts'

export interface HttpHost {
  readonly port: number
  /** A new address with a token of its own; the one before it is void if it was not used. */
  newAddress(): string
  /** Resolves when no connection is left. */
  close(): Promise<void>
}

export interface HttpOptions {
  /** 0: any free one. */
  readonly port: number
  readonly requests: WindowRequests
  readonly places: ServedPlaces
}

const loopback = '127.0.0.1'

/** Throws `BadInput` where the port is taken or forbidden. */
export async function openHttpHost({ port, requests, places }: HttpOptions): Promise<HttpHost> {
  const server = createServer()
  const bound = await listen(server, port)
  const gate = new Gate(bound)
  const sockets = new Sockets(requests)
  server.on('request', (request, response) => {
    const url = addressOf(request)
    const admission = url === undefined ? undefined : gate.admit(url, request.headers)
    if (admission === undefined) refuse(response, 400, 'bad address')
    else if (admission.admitted) serve(request, response, admission, places, bound)
    else refuse(response, admission.status, admission.reason)
  })
  server.on('upgrade', (request, socket, head) => {
    const url = addressOf(request)
    const admission = url?.pathname === socketPath ? gate.admitSocket(url, request.headers) : undefined
    if (admission === undefined || !admission.admitted) {
      const status = admission === undefined ? '404 Not Found' : `${admission.status} Refused`
      socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    sockets.accept(request, socket, head)
  })
  // A peer that breaks off in mid-request is no fault of ours.
  server.on('clientError', (_error, socket) => socket.destroy())
  return {
    port: bound,
    newAddress: () => `http://${loopback}:${bound}/?token=${gate.newToken()}`,
    close: async () => {
      sockets.close()
      const closed = new Promise<void>((done) => server.close(() => done()))
      server.closeAllConnections()
      await closed
    },
  }
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is in use' : error.code === 'EACCES' ? 'is not allowed' : error.message
      reject(new BadInput('--port', `${port} ${why}; name another, or 0 for any free one`))
    })
    server.listen(port, loopback, () => resolve((server.address() as AddressInfo).port))
  })
}

function addressOf({ url }: IncomingMessage): URL | undefined {
  // Only an origin-form target: a second slash or a scheme would be read as another host.
  if (url === undefined || !/^\/(?!\/)/.test(url)) return undefined
  return URL.canParse(url, `http://${loopback}`) ? new URL(url, `http://${loopback}`) : undefined
}

function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { setCookie }: Extract<Admission, { admitted: true }>,
  places: ServedPlaces,
  port: number,
): void {
  const head = request.method === 'HEAD'
  if (request.method !== 'GET' && !head) {
    refuse(response, 405, 'only GET is served', { allow: 'GET, HEAD' })
    return
  }
  // What the client sent, not what URL made of it: dot segments must be seen, not resolved.
  const pathname = (request.url ?? '').replace(/[?#].*$/s, '')
  const file = servedFile(pathname, places)
  if (file === undefined) {
    refuse(response, 404, 'not found')
    return
  }
  const headers: Record<string, string> = {
    ...headersFor(file.extension, file.policy.replace("connect-src 'self'", `connect-src 'self' ${sockets(port)}`)),
    'cache-control': 'no-store',
    ...(setCookie === null ? {} : { 'set-cookie': setCookie }),
    ...(file.saveAs === undefined ? {} : { 'content-disposition': disposition(file.saveAs) }),
  }
  const stream = createReadStream(file.path)
  stream.once('error', () => (response.headersSent ? response.destroy() : refuse(response, 404, 'not found')))
  stream.once('open', () => {
    response.writeHead(200, headers)
    if (head) {
      stream.destroy()
      response.end()
    } else stream.pipe(response)
  })
}

/** Not every browser reads `'self'` as the socket of the same host too. */
const sockets = (port: number): string => `ws://${loopback}:${port} ws://localhost:${port}`

/** RFC 6266: a plain name for old clients, the true one in UTF-8. */
export function disposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

function refuse(response: ServerResponse, status: number, reason: string, more: Record<string, string> = {}): void {
  response.writeHead(status, {
    ...headersFor('.txt', "default-src 'none'"),
    'cache-control': 'no-store',
    ...more,
  })
  response.end(`${reason}\n`)
}
