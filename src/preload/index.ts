/** The bridge between the page and the workbench: plain data both ways, no Electron object exposed. */
import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron'
import type { Bridge, WindowEvent } from '../shared/ipc.ts'
import { bridgeName, channel, eventChannel } from '../shared/ipc-names.ts'

const bridge: Bridge = {
  call: (name, parameters) => ipcRenderer.invoke(channel, name, parameters),
  subscribe: (listener) => {
    // The page gets the event's data alone: Electron's own event object leads back to the channel.
    const forward = (_event: IpcRendererEvent, event: WindowEvent) => listener(event)
    ipcRenderer.on(eventChannel, forward)
    return () => {
      ipcRenderer.removeListener(eventChannel, forward)
    }
  },
}
contextBridge.exposeInMainWorld(bridgeName, bridge)
