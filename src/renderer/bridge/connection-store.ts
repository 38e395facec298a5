/** Whether the workbench is there. Inside the application it always is; over a socket it can be lost and found again. */
import type { Bridge } from '../../shared/ipc.ts'

export class ConnectionStore {
  readonly #listeners = new Set<() => void>()
  #connected = true

  /** @param onReturn what happened meanwhile was told to nobody: ask for everything again */
  constructor(bridge: Bridge, onReturn: () => void) {
    bridge.subscribe((event) => {
      if (event.type !== 'connection') return
      const returned = event.connected && !this.#connected
      this.#connected = event.connected
      for (const listener of this.#listeners) listener()
      if (returned) onReturn()
    })
  }

  readonly connected = (): boolean => this.#connected

  readonly watch = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
