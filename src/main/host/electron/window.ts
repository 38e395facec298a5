/** The one window. Its page is sandboxed and isolated, and appears when it has something to show. */
import { BrowserWindow } from 'electron'

export function openWindow(preload: string, address: string): BrowserWindow {
  const window = new BrowserWindow({
    width: 1280,
    height: 820,
    minWidth: 720,
    minHeight: 480,
    show: false,
    title: 'Recompense',
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      spellcheck: false,
    },
  })
  window.once('ready-to-show', () => window.show())
  void window.loadURL(address)
  return window
}
