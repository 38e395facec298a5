/** Finds a Chromium without root rights or a download outside npm. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const systemPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/**
 * Which Chromium the browser tests run: RECOMPENSE_CHROMIUM (a path, or `npm`), else the system's, else the one that an
 * npm package brings (Linux x64). Undefined elsewhere: then Playwright's own, after `npx playwright install chromium`.
 */
export async function chromiumPath(): Promise<string | undefined> {
  const want = process.env.RECOMPENSE_CHROMIUM
  if (want && want !== 'npm') return want
  if (want !== 'npm') {
    const found = systemPaths.find((path) => existsSync(path))
    if (found) return found
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  // The package unpacks to os.tmpdir()/chromium and reuses whatever lies there, of any version: give each
  // version its own folder, and move it into place whole so that a parallel start never sees half a file.
  const root = join(import.meta.dirname, '../node_modules')
  const { version } = JSON.parse(readFileSync(join(root, '@sparticuz/chromium/package.json'), 'utf8')) as {
    version: string
  }
  const dir = join(root, '.cache', `chromium-${version}`)
  if (!existsSync(join(dir, 'chromium'))) {
    const tmp = `${dir}.${process.pid}`
    mkdirSync(tmp, { recursive: true })
    const before = process.env.TMPDIR
    process.env.TMPDIR = tmp
    const { default: sparticuz } = await import('@sparticuz/chromium')
    await sparticuz.executablePath()
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    try {
      renameSync(tmp, dir)
    } catch {
      rmSync(tmp, { recursive: true, force: true })
    }
  }
  return join(dir, 'chromium')
}

export const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
