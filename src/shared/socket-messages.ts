/** What travels over the loopback socket between a browser's window and the workbench, one JSON text a message. */
import type { Reply, WindowEvent } from './ipc.ts'

export const socketPath = '/socket'

export interface SocketRequest {
  readonly id: number
  readonly name: string
  readonly parameters: unknown
}

export type SocketMessage = { readonly id: number; readonly reply: Reply<unknown> } | { readonly event: WindowEvent }
