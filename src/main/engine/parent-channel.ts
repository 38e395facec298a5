/** How a stage process talks to whoever started it: Node's fork, or Electron's utility process. */
import type { StageCommand, StageEvent } from '../../shared/stage.ts'

export interface ParentChannel {
  /** `then` is called when the message is on its way. */
  send(event: StageEvent, then?: () => void): void
  onCommand(listener: (command: StageCommand) => void): void
  /** The parent is gone. */
  onLost(listener: () => void): void
}

/** What is used of Electron's `process.parentPort`; Node's own types know nothing of it. */
interface ParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void
}

export function parentChannel(): ParentChannel {
  const { parentPort } = process as { readonly parentPort?: ParentPort }
  return parentPort === undefined ? forkedChannel() : utilityChannel(parentPort)
}

function forkedChannel(): ParentChannel {
  return {
    send: (event, then) => {
      process.send?.(event, undefined, undefined, () => then?.())
    },
    onCommand: (listener) => {
      process.on('message', (command: StageCommand) => listener(command))
    },
    onLost: (listener) => {
      process.on('disconnect', listener)
    },
  }
}

/** A utility process ends with its parent by itself. Its port tells of no delivery: an exit follows a turn later. */
function utilityChannel(port: ParentPort): ParentChannel {
  return {
    send: (event, then) => {
      port.postMessage(event)
      if (then !== undefined) setTimeout(then, 100)
    },
    onCommand: (listener) => {
      port.on('message', ({ data }) => listener(data as StageCommand))
    },
    onLost: () => {},
  }
}
