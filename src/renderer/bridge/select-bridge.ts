/** The workbench behind this window: the application's own bridge, or in a browser a socket to where the page came from. */
import type { Bridge } from '../../shared/ipc.ts'
import { socketBridge } from '../../shared/socket-bridge.ts'

declare global {
  interface Window {
    readonly recompense?: Bridge
  }
}

export const selectBridge = (): Bridge => window.recompense ?? socketBridge()
