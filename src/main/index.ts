/** Electron entry: a shell around the workbench. Window, addresses, guards and lifecycle; no domain logic. */
import { join } from 'node:path'
import { app, type BrowserWindow, dialog, nativeTheme, session, shell } from 'electron'
import { codeVersion } from './code-version.ts'
import { appOrigin, registerAppScheme, serveApp } from './host/electron/app-protocol.ts'
import { askAboutRun, picker } from './host/electron/dialogs.ts'
import { guardPages, refusePermissions } from './host/electron/guards.ts'
import { guardLeaving } from './host/electron/leaving.ts'
import { setMenu } from './host/electron/menu.ts'
import { serveRequests } from './host/electron/requests.ts'
import { UtilityStageHost } from './host/electron/utility-stage-host.ts'
import { openWindow } from './host/electron/window.ts'
import { openRequests } from './host/requests.ts'
import { stageEntry } from './program-layout.ts'
import { readPreferences } from './workbench/preferences.ts'
import { openWorkbench } from './workbench/workbench.ts'

/** Set by the development server; a packaged application never listens to it. */
const development = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL
const developerTools = !app.isPackaged
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
  const current = () => window
  const show = () => {
    if (window?.isMinimized()) window.restore()
    window?.show()
    window?.focus()
  }
  app.on('second-instance', show)

  await app.whenReady()
  refusePermissions(session.defaultSession)
  app.setAboutPanelOptions({ applicationName: 'Recompense', applicationVersion: codeVersion })
  setMenu(process.platform, developerTools)

  const home = process.env.RECOMPENSE_HOME || app.getPath('userData')
  nativeTheme.themeSource = readPreferences(home).preferences.theme
  const requests = openRequests(
    home,
    {
      kind: 'electron',
      pick: picker(current),
      exportUrl: () => null,
      onExport: (file) => shell.showItemInFolder(file),
      onPreferences: ({ theme }) => {
        nativeTheme.themeSource = theme
      },
    },
    (folder) =>
      openWorkbench({
        home: folder,
        stageHost: (places) => new UtilityStageHost({ entry: stageEntry, places }),
      }),
  )
  serveApp({ pages: join(built, 'renderer'), reportFolder: requests.reportFolder })
  serveRequests(requests, current, development)

  const onClose = guardLeaving({
    app,
    platform: process.platform,
    requests,
    window: current,
    ask: () => askAboutRun(window),
  })
  const open = () => {
    window = openWindow({
      preload: join(built, 'preload', 'index.cjs'),
      address: development ?? `${appOrigin}/index.html`,
      stateFolder: app.getPath('userData'),
      developerTools,
    })
    window.on('close', onClose)
    window.on('closed', () => {
      window = undefined
    })
  }
  app.on('activate', () => {
    if (window === undefined) open()
    else show()
  })
  open()
}
