/**
 * A stand-in for Electron's main-process API that checks its contract. Types come from electron.d.ts, so a wrong name or
 * signature fails `tsc`; the rules of order and security that types cannot say are checked here.
 */
import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type Electron from 'electron'
import { answers, dialog, Menu, nativeTheme, screen } from './desktop.ts'
import { cancellable, type Msg, post, strict, violation } from './strict.ts'
import { utilityProcessOf } from './utility-process.ts'

export { dialog, Menu, nativeTheme, screen }

let ready = false
let schemes: string[] = []
let sandboxAll = false
const ee = new EventEmitter()

type AppUsed = Pick<
  Electron.App,
  | 'whenReady'
  | 'requestSingleInstanceLock'
  | 'enableSandbox'
  | 'getPath'
  | 'quit'
  | 'exit'
  | 'isPackaged'
  | 'setAboutPanelOptions'
>
const appImpl: AppUsed & {
  on: (e: string, f: (...a: never[]) => void) => unknown
  once: (e: string, f: (...a: never[]) => void) => unknown
} = {
  isPackaged: true,
  whenReady: async () => {
    await new Promise((r) => setTimeout(r, 10))
    if (!lockAsked) violation('single-instance lock was never requested')
    ready = true
  },
  requestSingleInstanceLock: () => {
    lockAsked = true
    return process.env.SIM_SECOND_LAUNCH !== '1'
  },
  enableSandbox: () => {
    if (ready) violation('app.enableSandbox() after ready')
    sandboxAll = true
  },
  getPath: () => {
    const d = process.env.SIM_USER_DATA
    if (!d) violation('no SIM_USER_DATA')
    return d as string
  },
  setAboutPanelOptions: () => {},
  quit: () => {
    const event = cancellable()
    ee.emit('before-quit', event)
    if (event.defaultPrevented || current?.tryClose() === false) return
    ee.emit('will-quit', cancellable())
    post({ t: 'quit' })
    process.disconnect?.()
  },
  exit: (code) => {
    post({ t: 'exit', code })
    process.disconnect?.()
    process.exit(code)
  },
  on: (e, f) => ee.on(e, f as never),
  once: (e, f) => ee.once(e, f as never),
}
let lockAsked = false
export const app = strict('app', appImpl)

const handlers = new Map<string, (...a: unknown[]) => unknown>()
export const ipcMain = strict('ipcMain', {
  handle(ch: string, f: (...a: unknown[]) => unknown) {
    if (handlers.has(ch)) throw new Error(`Attempted to register a second handler for '${ch}'`)
    handlers.set(ch, f)
  },
  removeHandler: (ch: string) => void handlers.delete(ch),
})
const proto = new Map<string, (r: Request) => Response | Promise<Response>>()
export const protocol = strict('protocol', {
  registerSchemesAsPrivileged(s: Electron.CustomScheme[]) {
    if (ready) violation('registerSchemesAsPrivileged after ready')
    if (schemes.length) violation('registerSchemesAsPrivileged twice')
    for (const x of s) if (x.privileges?.bypassCSP) violation(`scheme ${x.scheme} bypasses CSP`)
    schemes = s.map((x) => x.scheme)
  },
  handle(scheme: string, f: (r: Request) => Response | Promise<Response>) {
    if (!ready) violation('protocol.handle before ready')
    if (proto.has(scheme)) violation(`protocol.handle('${scheme}') twice`)
    if (!schemes.includes(scheme)) violation(`scheme ${scheme} is not privileged`)
    proto.set(scheme, f)
  },
})
let permReq = false
let permCheck = false
export const session = strict('session', {
  get defaultSession() {
    if (!ready) violation('session.defaultSession before ready')
    return strict('session.defaultSession', {
      setPermissionRequestHandler: (f: unknown) => {
        permReq = f !== null
      },
      setPermissionCheckHandler: (f: unknown) => {
        permCheck = f !== null
      },
    })
  },
})
export const shell = strict('shell', {
  openExternal: async (url: string) => {
    post({ t: 'openExternal', url })
  },
  showItemInFolder: (path: string) => {
    post({ t: 'showItemInFolder', path })
  },
})
export const utilityProcess = utilityProcessOf(() => ready)

class WebContents extends EventEmitter {
  open: ((d: { url: string }) => { action: string }) | undefined
  url = ''
  setWindowOpenHandler(f: never) {
    this.open = f
  }
  getURL() {
    return this.url
  }
  send(ch: string, ...args: unknown[]) {
    post({ t: 'send', ch, args: structuredClone(args) })
  }
}
let current: BrowserWindow | undefined
export class BrowserWindow extends EventEmitter {
  webContents = new WebContents()
  #visible = false
  readonly #bounds
  constructor(o: Electron.BrowserWindowConstructorOptions = {}) {
    super()
    if (!ready) violation('BrowserWindow before ready')
    this.#bounds = { x: o.x ?? 0, y: o.y ?? 0, width: o.width ?? 800, height: o.height ?? 600 }
    const w = o.webPreferences ?? {}
    if (w.nodeIntegration || w.nodeIntegrationInWorker || w.nodeIntegrationInSubFrames)
      violation('nodeIntegration is on')
    if (w.contextIsolation === false) violation('contextIsolation is off')
    if (w.sandbox === false || (!w.sandbox && !sandboxAll)) violation('sandbox is off')
    if (w.webSecurity === false) violation('webSecurity is off')
    if (w.allowRunningInsecureContent || w.experimentalFeatures || w.enableBlinkFeatures || w.webviewTag)
      violation('insecure webPreferences')
    if (!permReq || !permCheck) violation('permission handlers are not set before the first window')
    if (w.preload && (!isAbsolute(w.preload) || !existsSync(w.preload)))
      violation(`preload ${w.preload} is not an existing absolute path`)
    if (w.preload && !w.preload.endsWith('.cjs') && !w.preload.endsWith('.js'))
      violation('a sandboxed preload must be CommonJS')
    post({ t: 'window', preload: w.preload, bounds: this.#bounds, devTools: w.devTools !== false })
    current = this
    ee.emit('web-contents-created', {}, this.webContents)
    if (this.webContents.listenerCount('will-navigate') === 0) violation('no will-navigate guard')
    if (!this.webContents.open) violation('no window-open handler')
  }
  async loadURL(url: string) {
    if (!proto.has(new URL(url).protocol.slice(0, -1))) violation(`loadURL of unhandled scheme: ${url}`)
    this.webContents.url = url
    await new Promise<void>((ok) => {
      loaded = ok
      post({ t: 'loadURL', url })
    })
    this.emit('ready-to-show')
  }
  loadFile() {
    violation('loadFile uses file://')
  }
  show() {
    this.#visible = true
    post({ t: 'show' })
  }
  hide() {
    this.#visible = false
    post({ t: 'hide' })
    this.emit('hide')
  }
  isVisible() {
    return this.#visible
  }
  focus() {}
  isMinimized() {
    return false
  }
  isMaximized() {
    return false
  }
  isDestroyed() {
    return current !== this
  }
  maximize() {}
  getNormalBounds() {
    return this.#bounds
  }
  /** False where a listener keeps the window open. */
  tryClose() {
    const event = cancellable()
    this.emit('close', event)
    if (event.defaultPrevented) return false
    current = undefined
    this.emit('closed')
    return true
  }
  static getAllWindows() {
    return current ? [current] : []
  }
}
let loaded: (() => void) | undefined

process.on('message', async (m: Msg) => {
  const wc = current?.webContents
  if (m.t === 'loaded') loaded?.()
  if (m.t === 'request') {
    const u = new URL(String(m.url))
    const r = await proto.get(u.protocol.slice(0, -1))?.(new Request(u, { method: String(m.method ?? 'GET') }))
    post({
      t: 'reply',
      id: m.id,
      status: r?.status ?? 404,
      headers: Object.fromEntries(r?.headers ?? []),
      body: Buffer.from((await r?.arrayBuffer()) ?? new ArrayBuffer(0)).toString('base64'),
    })
  }
  if (m.t === 'invoke') {
    try {
      const f = handlers.get(String(m.ch))
      if (!f) throw new Error(`No handler registered for '${m.ch}'`)
      const r = await f({ senderFrame: m.frame, sender: wc }, ...(m.args as unknown[]))
      post({ t: 'reply', id: m.id, r: structuredClone(r) })
    } catch (e) {
      post({ t: 'reply', id: m.id, e: String(e) })
    }
  }
  if (m.t === 'navigate') {
    let stopped = false
    wc?.emit(
      'will-navigate',
      {
        url: m.url,
        preventDefault: () => {
          stopped = true
        },
      },
      m.url,
    )
    post({ t: 'reply', id: m.id, stopped })
  }
  if (m.t === 'open') post({ t: 'reply', id: m.id, r: wc?.open?.({ url: String(m.url) }) })
  if (m.t === 'answers') Object.assign(answers, m.answers)
  if (m.t === 'second-instance') ee.emit('second-instance', {})
  if (m.t === 'close' && current?.tryClose() === true) ee.emit('window-all-closed')
})
export default {
  ...{ app, dialog, ipcMain, Menu, nativeTheme, protocol },
  ...{ screen, session, shell, utilityProcess, BrowserWindow },
}
