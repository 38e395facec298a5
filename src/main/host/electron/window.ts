/** The one window. Its page is sandboxed and isolated, and appears when it has something to show. */
import { BrowserWindow, screen } from 'electron'
import { boundsFor, readWindowState, smallest, writeWindowState } from './window-state.ts'

export interface WindowOptions {
  readonly preload: string
  readonly address: string
  /** Where the window's place is kept. */
  readonly stateFolder: string
  readonly developerTools: boolean
}

export function openWindow({ preload, address, stateFolder, developerTools }: WindowOptions): BrowserWindow {
  const state = readWindowState(stateFolder)
  const areas = screen.getAllDisplays().map(({ workArea }) => workArea)
  const window = new BrowserWindow({
    ...boundsFor(state, areas),
    minWidth: smallest.width,
    minHeight: smallest.height,
    show: false,
    title: 'Recompense',
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      spellcheck: false,
      devTools: developerTools,
    },
  })
  if (state?.maximized === true) window.maximize()
  window.once('ready-to-show', () => window.show())
  const keep = () => writeWindowState(stateFolder, { ...window.getNormalBounds(), maximized: window.isMaximized() })
  window.on('close', keep)
  window.on('hide', keep)
  void window.loadURL(address)
  return window
}
