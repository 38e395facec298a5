/** The loopback host over real connections: who gets in, what is served, and what the socket carries. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { BadInput } from '../../../shared/bad-input.ts'
import type { Bridge, WindowEvent } from '../../../shared/ipc.ts'
import { type SocketLike, socketBridge } from '../../../shared/socket-bridge.ts'
import { openFake } from '../../workbench/fake-bench.ts'
import { exportUrl } from '../served-file.ts'
import { disposition, type HttpHost } from './http-host.ts'
import { serveWorkbench } from './serve.ts'

const id = 'study-20261129-1604-ab12'
let root: string
let home: string
let pages: string
let host: HttpHost
let base: string

const open = (port = 0) => serveWorkbench({ home, port, pages, open: openFake })

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'http-host-'))
  home = join(root, 'home')
  pages = join(root, 'pages')
  mkdirSync(join(pages, 'assets'), { recursive: true })
  writeFileSync(join(pages, 'index.html'), '<!doctype html><title>page</title>')
  writeFileSync(join(pages, 'assets', 'a.js'), 'script')
  host = await open()
  base = `http://127.0.0.1:${host.port}`
})
afterEach(async () => {
  await host.close()
  rmSync(root, { recursive: true, force: true })
})

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port: host.port, path, method, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    request.on('error', reject)
    request.end()
  })
}

/** A browser that opened the printed address. */
async function cookie(): Promise<string> {
  const { pathname, search } = new URL(host.newAddress())
  const { headers } = await get(`${pathname}${search}`)
  return headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}

describe('a page', () => {
  it('comes to whom the address was given, with its policy and a cookie', async () => {
    const { search } = new URL(host.newAddress())
    const { status, headers, body } = await get(`/${search}`)
    expect(status).toBe(200)
    expect(body).toContain('<title>page</title>')
    expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self'/)
    expect(headers['content-security-policy']).not.toMatch(/script-src[^;]*unsafe/)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(headers['access-control-allow-origin']).toBeUndefined()
    expect(headers['set-cookie']?.[0]).toMatch(/HttpOnly; SameSite=Strict/)
  })

  it('and files do not come without it', async () => {
    for (const path of ['/', '/index.html', '/assets/a.js', '/none', exportUrl(id, 'report.html')]) {
      const { status, headers, body } = await get(path)
      expect(status).toBe(401)
      expect(body).not.toContain('page')
      expect(headers['content-security-policy']).toBe("default-src 'none'")
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
  })

  it('does not come to another host name or origin, and nothing allows one', async () => {
    const { search } = new URL(host.newAddress())
    for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }]) {
      const answer = await get(`/${search}`, headers as Record<string, string>)
      expect(answer.status).toBe(403)
      expect(answer.headers['set-cookie']).toBeUndefined()
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  it('is the only thing that can be asked: no other method, no other place', async () => {
    const headers = { cookie: await cookie() }
    expect((await get('/assets/a.js', headers)).status).toBe(200)
    expect((await get('/assets/a.js', headers, 'HEAD')).body).toBe('')
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await get('/', headers, method)).status).toBe(405)
    for (const path of ['/../home/store.sqlite', '/..%2fhome%2fstore.sqlite', '/%2e%2e/home/store.sqlite', '/%']) {
      expect((await get(path, headers)).status).toBe(404)
    }
    for (const path of ['//evil.example/', 'http://evil.example/']) {
      expect((await get(path, headers)).status).toBe(400)
    }
  })

  it('is served on loopback alone', async () => {
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)
    if (outside === undefined) return
    const reached = await new Promise<boolean>((resolve) => {
      const socket = connect(host.port, outside.address, () => resolve(true))
      socket.on('error', () => resolve(false))
    })
    expect(reached).toBe(false)
  })

  it('names a port that is taken', async () => {
    await expect(open(host.port)).rejects.toThrow(BadInput)
    await expect(open(host.port)).rejects.toThrow(/--port: \d+ is in use/)
  })
})

describe('an export', () => {
  it.each(['report.html', 'figures/reward.svg', `it's "50 %" #1 + more.csv`, 'отчёт — 報告.pdf'])(
    'is saved under its own name: %s',
    async (name) => {
      const folder = join(home, 'studies', id, 'report')
      mkdirSync(join(folder, 'figures'), { recursive: true })
      writeFileSync(join(folder, name), 'content')
      const { status, headers, body } = await get(exportUrl(id, name), { cookie: await cookie() })
      expect([status, body]).toEqual([200, 'content'])
      expect(headers['content-disposition']).toBe(disposition(name.split('/').at(-1) ?? ''))
      expect(headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'/)
    },
  )

  it('says its name to old and new browsers', () => {
    expect(disposition(`it's "50 %" #1.csv`)).toBe(
      `attachment; filename="it's _50 __ #1.csv"; filename*=UTF-8''it%27s%20%2250%20%25%22%20%231.csv`,
    )
    expect(disposition('отчёт.pdf')).toMatch(/filename="_+\.pdf"; filename\*=UTF-8''%D0%BE/)
    expect(disposition('a\r\nx: y')).not.toMatch(/[\r\n]/)
  })
})

function socket(headers: Record<string, string>): Promise<WebSocket | number> {
  return new Promise((resolve) => {
    const { origin, ...more } = headers
    const client = new WebSocket(`ws://127.0.0.1:${host.port}/socket`, {
      headers: more,
      ...(origin === undefined ? {} : { origin }),
    })
    client.once('open', () => resolve(client))
    client.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    client.once('error', () => {})
  })
}

describe('a socket', () => {
  it('opens with our origin and the cookie only', async () => {
    const ours = { origin: base, cookie: await cookie() }
    expect(await socket({ origin: base })).toBe(401)
    expect(await socket({ cookie: ours.cookie })).toBe(403)
    expect(await socket({ ...ours, origin: 'http://evil.example' })).toBe(403)
    expect(await socket({ ...ours, host: 'evil.example' })).toBe(403)
    const open = await socket(ours)
    expect(open).toBeInstanceOf(WebSocket)
    ;(open as WebSocket).terminate()
  })

  it('is closed on what is no request', async () => {
    const client = (await socket({ origin: base, cookie: await cookie() })) as WebSocket
    const closed = new Promise((resolve) => client.once('close', (code) => resolve(code)))
    client.send('{"not":"a request"}')
    expect(await closed).toBe(1008)
  })
})

async function bridge(): Promise<{ bridge: Bridge; events: WindowEvent[]; end: () => void }> {
  const headers = { cookie: await cookie() }
  let current: WebSocket | undefined
  let ended = false
  const made = socketBridge({
    open: () => {
      current = new WebSocket(ended ? 'ws://127.0.0.1:1' : `ws://127.0.0.1:${host.port}/socket`, {
        headers,
        origin: base,
      })
      current.on('error', () => {})
      return current as unknown as SocketLike
    },
    firstDelay: 10,
    patience: 2000,
  })
  const events: WindowEvent[] = []
  made.subscribe((event) => events.push(event))
  const end = () => {
    ended = true
    current?.terminate()
  }
  return { bridge: made, events, end }
}

describe('the bridge of a browser', () => {
  it('carries requests, refusals and the job', async () => {
    const { bridge: made, events, end } = await bridge()
    const info = await made.call('app.info', {})
    expect(info).toMatchObject({ ok: true, value: { home, host: 'browser', problem: null } })
    expect(await made.call('studies.list', {})).toEqual({ ok: true, value: [] })
    expect(await made.call('studies.show', { study_id: id })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/is not a study/),
    })
    expect(await made.call('files.pick', { what: 'file', title: 'x' })).toEqual({ ok: true, value: null })
    expect(events).toContainEqual({ type: 'connection', connected: true })
    expect(events).toContainEqual({ type: 'job', job: null })
    end()
  })
})

describe('a data folder that cannot be used', () => {
  it('is said in one sentence', async () => {
    const file = join(root, 'file')
    writeFileSync(file, '')
    await expect(serveWorkbench({ home: file, port: 0, pages })).rejects.toThrow(`${file}: is not a folder`)
  })
})
