/** The bridge between the page and the workbench: one function, plain data both ways, no Electron object exposed. */
import { contextBridge, ipcRenderer } from 'electron'
import type { Bridge } from '../shared/ipc.ts'
import { bridgeName, channel } from '../shared/ipc-names.ts'

const bridge: Bridge = { call: (name, parameters) => ipcRenderer.invoke(channel, name, parameters) }
contextBridge.exposeInMainWorld(bridgeName, bridge)
