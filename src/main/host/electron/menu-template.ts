/** The native menu as data: what the system expects of an application, and nothing that a page could misuse. */
import type { MenuItemConstructorOptions } from 'electron'

export function menuTemplate(platform: NodeJS.Platform, developerTools: boolean): MenuItemConstructorOptions[] {
  const mac = platform === 'darwin'
  const view: MenuItemConstructorOptions[] = [
    { role: 'reload' },
    ...(developerTools ? [{ role: 'toggleDevTools' } as const] : []),
    { type: 'separator' },
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { type: 'separator' },
    { role: 'togglefullscreen' },
  ]
  return [
    ...(mac ? [{ role: 'appMenu' } as const] : []),
    {
      label: '&File',
      submenu: mac ? [{ role: 'close' }] : [{ role: 'about' }, { type: 'separator' }, { role: 'quit' }],
    },
    { role: 'editMenu' },
    { label: '&View', submenu: view },
    { role: 'windowMenu' },
  ]
}
