/** IPC: one channel, every call's sender checked in this one place before anything else looks at it; events go one way. */
import { type BrowserWindow, ipcMain } from 'electron'
import { channel, eventChannel } from '../../../shared/ipc-names.ts'
import { answer } from '../answer.ts'
import type { WindowRequests } from '../requests.ts'
import { isTrustedSender } from './guards.ts'

export function serveRequests(
  requests: WindowRequests,
  window: () => BrowserWindow | undefined,
  development: string | undefined,
): void {
  ipcMain.handle(channel, (event, name: unknown, parameters: unknown) => {
    if (!isTrustedSender(event.senderFrame, development)) throw new Error('refused: unknown sender')
    return answer(requests.handlers, name, parameters)
  })
  requests.subscribe((event) => {
    const open = window()
    if (open !== undefined && !open.isDestroyed()) open.webContents.send(eventChannel, event)
  })
}
