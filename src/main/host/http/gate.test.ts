import { describe, expect, it } from 'vitest'
import { Gate } from './gate.ts'

const port = 8391
const host = `127.0.0.1:${port}`
const at = (path: string) => new URL(path, `http://${host}`)

function opened() {
  const gate = new Gate(port)
  const token = gate.newToken()
  const first = gate.admit(at(`/?token=${token}`), { host })
  const header = first.admitted ? (first.setCookie ?? '') : ''
  return { gate, token, header, cookie: header.split(';')[0] ?? '' }
}

describe('the gate', () => {
  it('exchanges the token for a cookie that scripts cannot read and other sites do not send', () => {
    const { gate, cookie, header } = opened()
    expect(header).toMatch(/^recompense-8391=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+$/)
    expect(gate.admit(at('/'), { host, cookie })).toEqual({ admitted: true, setCookie: null })
    expect(gate.admit(at('/assets/a.js'), { host, cookie: `other=1; ${cookie}` }).admitted).toBe(true)
  })

  it('takes the token once: when the cookie has come back, the address is worth nothing', () => {
    const { gate, token, cookie } = opened()
    expect(gate.admit(at(`/?token=${token}`), { host }).admitted).toBe(true)
    gate.admit(at('/assets/a.js'), { host, cookie })
    expect(gate.admit(at(`/?token=${token}`), { host })).toMatchObject({ admitted: false, status: 401 })
    expect(gate.admit(at(`/?token=${token}`), { host, cookie }).admitted).toBe(true)
    const again = gate.newToken()
    expect(gate.admit(at(`/?token=${again}`), { host }).admitted).toBe(true)
  })

  it('voids an older address when it gives a new one', () => {
    const gate = new Gate(port)
    const old = gate.newToken()
    gate.newToken()
    expect(gate.admit(at(`/?token=${old}`), { host }).admitted).toBe(false)
  })

  it.each([
    ['no token', '/', {}],
    ['an empty token', '/?token=', {}],
    ['a wrong token', '/?token=abc', {}],
    ['a wrong cookie', '/', { cookie: `recompense-${port}=abc` }],
    ['an empty cookie', '/', { cookie: `recompense-${port}=` }],
  ])('refuses %s', (_what, path, headers) => {
    const { gate } = opened()
    expect(gate.admit(at(path), { host, ...headers })).toMatchObject({ admitted: false, status: 401 })
  })

  it.each([
    ['another host', { host: 'evil.example' }],
    ['another host with our port', { host: `evil.example:${port}` }],
    ['our host on another port', { host: '127.0.0.1:1' }],
    ['no host', {}],
    ['another origin', { host, origin: 'http://evil.example' }],
    ['another origin of this machine', { host, origin: 'http://localhost:3000' }],
    ['a secure origin of our name', { host, origin: `https://${host}` }],
    ['an opaque origin', { host, origin: 'null' }],
  ])('refuses %s, whatever it brings', (_what, headers) => {
    const { gate, token, cookie } = opened()
    const brought = { ...headers, cookie }
    expect(gate.admit(at('/'), brought)).toMatchObject({ admitted: false, status: 403 })
    expect(gate.admit(at(`/?token=${token}`), headers)).toMatchObject({ admitted: false, status: 403 })
    expect(gate.admitSocket(at('/socket'), brought)).toMatchObject({ admitted: false, status: 403 })
  })

  it('refuses what another page embeds, even one of this machine', () => {
    const { gate, cookie } = opened()
    for (const site of ['cross-site', 'same-site']) {
      expect(gate.admit(at('/'), { host, cookie, 'sec-fetch-site': site })).toMatchObject({ status: 403 })
    }
    expect(gate.admit(at('/'), { host, cookie, 'sec-fetch-site': 'same-origin' }).admitted).toBe(true)
  })

  it('asks of a socket an origin and the cookie', () => {
    const { gate, cookie } = opened()
    const origin = `http://${host}`
    expect(gate.admitSocket(at('/socket'), { host, origin, cookie }).admitted).toBe(true)
    expect(gate.admitSocket(at('/socket'), { host, cookie }).admitted).toBe(false)
    expect(gate.admitSocket(at('/socket'), { host, origin })).toMatchObject({ status: 401 })
    const named = `localhost:${port}`
    expect(gate.admitSocket(at('/socket'), { host: named, origin: `http://${named}`, cookie }).admitted).toBe(true)
  })
})
