/** Electron entry: a shell around the workbench. Window, addresses, guards and lifecycle; no domain logic. */
import { join } from 'node:path'
import { app, type BrowserWindow, dialog, session } from 'electron'
import { appOrigin, registerAppScheme, serveApp } from './host/electron/app-protocol.ts'
import { guardPages, refusePermissions } from './host/electron/guards.ts'
import { serveRequests } from './host/electron/requests.ts'
import { openWindow } from './host/electron/window.ts'
import { openRequests } from './host/requests.ts'

/** Set by the development server; a packaged application never listens to it. */
const development = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL
const built = join(import.meta.dirname, '..')

registerAppScheme()

if (!app.requestSingleInstanceLock()) {
  app.quit()
} else {
  app.enableSandbox()
  guardPages(app, development)
  start().catch((error: unknown) => {
    dialog.showErrorBox('Recompense cannot start', error instanceof Error ? error.message : String(error))
    app.exit(1)
  })
}

async function start(): Promise<void> {
  let window: BrowserWindow | undefined
  const open = () => {
    window = openWindow(join(built, 'preload', 'index.cjs'), development ?? `${appOrigin}/index.html`)
    window.on('closed', () => {
      window = undefined
    })
  }
  app.on('second-instance', () => {
    if (window?.isMinimized()) window.restore()
    window?.show()
    window?.focus()
  })
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  app.on('activate', () => {
    if (window === undefined) open()
  })

  await app.whenReady()
  refusePermissions(session.defaultSession)
  const home = process.env.RECOMPENSE_HOME || app.getPath('userData')
  const requests = openRequests(home, { kind: 'electron', pick: async () => null, exportUrl: () => null })
  app.on('will-quit', () => void requests.close())
  serveApp({ pages: join(built, 'renderer'), reportFolder: requests.reportFolder })
  serveRequests(requests.handlers, development)
  open()
}
