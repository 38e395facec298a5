/**
 * Who may reach the workbench over HTTP. Only this machine's own browser, on the very address that was printed: the
 * host and the origin must be ours (a page elsewhere cannot rebind a name to this port), and every request carries the
 * cookie that the one-time token in the printed address was exchanged for.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** As long as a browser profile keeps it; it is worth nothing once this process has ended. */
const cookieSeconds = 30 * 24 * 3600

export type Admission =
  | { readonly admitted: true; readonly setCookie: string | null }
  | { readonly admitted: false; readonly status: 401 | 403; readonly reason: string }

const refused = (status: 401 | 403, reason: string): Admission => ({ admitted: false, status, reason })

export class Gate {
  readonly #names: readonly string[]
  readonly #cookie: string
  readonly #sessions = new Set<string>()
  #token: string | null = null

  constructor(port: number) {
    this.#names = [`127.0.0.1:${port}`, `localhost:${port}`]
    // Cookies know no ports: two workbenches of one machine must not overwrite each other's.
    this.#cookie = `recompense-${port}`
  }

  /** A fresh one-time token; an older one that was not used is void. */
  newToken(): string {
    this.#token = secret()
    return this.#token
  }

  /** For a page or a file. */
  admit(url: URL, headers: IncomingHttpHeaders): Admission {
    const stranger = this.#stranger(headers)
    if (stranger !== null) return refused(403, stranger)
    if (this.#hasSession(headers)) return crossSite(headers) ?? { admitted: true, setCookie: null }
    return this.#exchange(url)
  }

  /** For the socket, which browsers always open with an Origin. */
  admitSocket(url: URL, headers: IncomingHttpHeaders): Admission {
    const stranger = this.#stranger(headers)
    if (stranger !== null) return refused(403, stranger)
    if (headers.origin === undefined) return refused(403, 'a socket without an origin is refused')
    return this.#hasSession(headers) ? { admitted: true, setCookie: null } : this.#exchange(url)
  }

  #stranger({ host, origin }: IncomingHttpHeaders): string | null {
    if (host === undefined || !this.#names.includes(host.toLowerCase())) return 'another host name is refused'
    if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`) {
      return 'another origin is refused'
    }
    return null
  }

  /** The token is spent as soon as the cookie comes back; a look at the address that kept no cookie wastes nothing. */
  #hasSession({ cookie }: IncomingHttpHeaders): boolean {
    const given = cookieValues(cookie ?? '', this.#cookie)
    const known = given.some((value) => [...this.#sessions].some((session) => equal(session, value)))
    if (known) this.#token = null
    return known
  }

  #exchange(url: URL): Admission {
    const given = url.searchParams.get('token')
    if (given === null) return refused(401, 'open the address that was printed when the workbench was started')
    if (this.#token === null || !equal(this.#token, given)) {
      return refused(401, 'this address was used already; the terminal of the workbench gives a new one on Enter')
    }
    const session = secret()
    this.#sessions.add(session)
    const attributes = `HttpOnly; SameSite=Strict; Path=/; Max-Age=${cookieSeconds}`
    return { admitted: true, setCookie: `${this.#cookie}=${session}; ${attributes}` }
  }
}

/** Another page of this machine is the same site to a browser, whatever its port; what it embeds is refused. */
function crossSite(headers: IncomingHttpHeaders): Admission | null {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return null
  return refused(403, 'a request from another page is refused')
}

const secret = (): string => randomBytes(32).toString('base64url')

function equal(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

function cookieValues(header: string, name: string): string[] {
  return header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1))
}
