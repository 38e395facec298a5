/** IPC: one channel, every call's sender checked in this one place before anything else looks at it. */
import { ipcMain } from 'electron'
import type { RequestHandlers } from '../../../shared/ipc.ts'
import { channel } from '../../../shared/ipc-names.ts'
import { answer } from '../answer.ts'
import { isTrustedSender } from './guards.ts'

export function serveRequests(handlers: RequestHandlers, development: string | undefined): void {
  ipcMain.handle(channel, (event, name: unknown, parameters: unknown) => {
    if (!isTrustedSender(event.senderFrame, development)) throw new Error('refused: unknown sender')
    return answer(handlers, name, parameters)
  })
}
