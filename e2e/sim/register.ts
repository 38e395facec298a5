/** Loaded with `node --import`: every `import … from 'electron'` in the bundled main resolves to the stand-in. */
import { registerHooks } from 'node:module'

const stub = new URL('./electron.ts', import.meta.url).href
registerHooks({
  resolve(s, c, next) {
    return s === 'electron' || s === 'electron/main' ? { url: stub, shortCircuit: true } : next(s, c)
  },
})
