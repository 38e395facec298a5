/** The `app://` scheme: a secure origin of our own instead of `file://`, each answer with its policy. */
import { readFile } from 'node:fs/promises'
import { protocol } from 'electron'
import { headersFor } from '../content-policy.ts'
import { type ServedPlaces, servedFile } from '../served-file.ts'

/** Must run before Electron is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ])
}

export const appOrigin = 'app://recompense'

export function serveApp(places: ServedPlaces): void {
  protocol.handle('app', async (request) => {
    const url = new URL(request.url)
    const own = request.method === 'GET' && url.host === 'recompense'
    const file = own ? servedFile(url.pathname, places) : undefined
    if (file === undefined) return new Response('not found', { status: 404 })
    try {
      const content = await readFile(file.path)
      return new Response(new Uint8Array(content), { headers: headersFor(file.extension, file.policy) })
    } catch {
      return new Response('not found', { status: 404 })
    }
  })
}
