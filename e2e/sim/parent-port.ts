/** Loaded into the stand-in's utility processes: `process.parentPort`, and nothing of Node's fork. */
import { EventEmitter } from 'node:events'

const send = process.send?.bind(process)
const port = new EventEmitter()
process.on('message', (data) => port.emit('message', { data }))
Object.defineProperty(process, 'parentPort', {
  value: Object.assign(port, { postMessage: (message: object) => send?.(message) }),
})
process.on('disconnect', () => process.exit(1))
Object.defineProperty(process, 'send', { value: undefined })
