/** The `app://` scheme: a secure origin of our own instead of `file://`, each answer with its policy. */
import { readFile } from 'node:fs/promises'
import { protocol } from 'electron'
import { fileFor } from '../app-files.ts'
import { headersFor } from '../content-policy.ts'

/** Must run before Electron is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ])
}

export function serveApp(pages: string, reportFile: (studyId: string) => string | undefined): void {
  protocol.handle('app', async (request) => {
    const file = request.method === 'GET' ? fileFor(request.url, pages, reportFile) : undefined
    if (file === undefined) return new Response('not found', { status: 404 })
    try {
      const content = await readFile(file.path)
      return new Response(new Uint8Array(content), { headers: headersFor(file.extension, file.policy) })
    } catch {
      return new Response('not found', { status: 404 })
    }
  })
}
